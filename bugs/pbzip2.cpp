/*
 * pbzip2: the order violation of pbzip2 0.9.4.
 *
 * The main thread cuts the input into blocks and queues them, and says so when that was all;
 * consumers compress blocks; a writer thread collects the results in order. The consumers are
 * detached: main waits for the writer, which has everything then, and deletes the queue together
 * with its mutex.
 *
 * Bad interleaving: a consumer delivers the last block and goes back to the queue, to find that
 * nothing is left; the writer takes the block and ends; main frees the queue's mutex and sets the
 * pointer to it to null; the consumer locks (or unlocks) the null mutex.
 * Symptom: SIGSEGV in a consumer.
 * Fix: join the consumers before the queue is deleted.
 * Paper: CLAP, section 6.1 and table 1 (pbzip2: 4 threads, an 80 KB file); PRES, table 3.
 *
 * fails: SIGSEGV
 * threads: 4
 * args: 80
 */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

constexpr int CONSUMERS = 2;
constexpr size_t BLOCK_SIZE = 10 * 1024;

struct Block {
	size_t number;
	std::string data;
};

/* Blocks on their way from main to the consumers. */
struct Queue {
	std::deque<Block> *blocks;
	std::mutex *mut;
	std::condition_variable *notEmpty;
	bool allDone; /* no block will follow; under *mut */
};

static void queueInit(Queue *q)
{
	q->blocks = new std::deque<Block>;
	q->mut = new std::mutex;
	q->notEmpty = new std::condition_variable;
	q->allDone = false;
}

static void queueDelete(Queue *q)
{
	delete q->mut;
	q->mut = nullptr;
	delete q->notEmpty;
	q->notEmpty = nullptr;
	delete q->blocks;
	q->blocks = nullptr;
}

static Queue fifo;

/* Compressed blocks on their way from the consumers to the writer. */
struct Output {
	std::map<size_t, std::string> blocks;
	std::mutex mut;
	std::condition_variable added;
};

static Output output;

/* Run-length encoding stands in for bzip2. */
static std::string compress(const std::string &data)
{
	std::string result;
	for (size_t i = 0; i < data.size();) {
		size_t run = 1;
		while (run < 255 && i + run < data.size() && data[i + run] == data[i])
			run++;
		result += char(run);
		result += data[i];
		i += run;
	}
	return result;
}

static void consumer(Queue *q)
{
	for (;;) {
		q->mut->lock();
		while (q->blocks->empty() && !q->allDone) {
			std::unique_lock<std::mutex> held(*q->mut, std::adopt_lock);
			q->notEmpty->wait(held);
			held.release();
		}
		if (q->blocks->empty()) {
			q->mut->unlock();
			return;
		}
		Block block = std::move(q->blocks->front());
		q->blocks->pop_front();
		q->mut->unlock();

		std::string compressed = compress(block.data);
		output.mut.lock();
		output.blocks[block.number] = std::move(compressed);
		output.mut.unlock();
		output.added.notify_one();
	}
}

static void writer(size_t blocks, size_t *written)
{
	for (size_t next = 0; next < blocks; next++) {
		std::unique_lock<std::mutex> held(output.mut);
		output.added.wait(held, [next] { return output.blocks.count(next) > 0; });
		*written += output.blocks[next].size();
		output.blocks.erase(next);
	}
}

static void produce(Queue *q, const std::string &file)
{
	for (size_t number = 0; number * BLOCK_SIZE < file.size(); number++) {
		std::lock_guard<std::mutex> held(*q->mut);
		q->blocks->push_back({number, file.substr(number * BLOCK_SIZE, BLOCK_SIZE)});
		q->notEmpty->notify_one();
	}
	std::lock_guard<std::mutex> held(*q->mut);
	q->allDone = true;
	q->notEmpty->notify_all();
}

int main(int argc, char **argv)
{
	size_t kilobytes = argc > 1 ? strtoul(argv[1], nullptr, 10) : 80;
	std::string file(kilobytes * 1024, 'a');
	for (size_t i = 0; i < file.size(); i++)
		file[i] = char('a' + i / 7 % 26);
	size_t blocks = (file.size() + BLOCK_SIZE - 1) / BLOCK_SIZE;

	queueInit(&fifo);
	size_t written = 0;
	std::thread output_thread(writer, blocks, &written);
	std::vector<std::thread> consumers;
	for (int i = 0; i < CONSUMERS; i++) {
		consumers.emplace_back(consumer, &fifo);
#ifndef FIXED
		consumers.back().detach();
#endif
	}

	produce(&fifo, file);
	output_thread.join();
#ifdef FIXED
	for (std::thread &thread : consumers)
		thread.join();
#endif
	queueDelete(&fifo);
	printf("%zu bytes compressed to %zu\n", file.size(), written);
	return 0;
}
