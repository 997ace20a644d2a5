/*
 * mozilla_script: the current script is destroyed between the check and the use.
 *
 * The layout thread runs the script that the loader has made current, if there is one. When the
 * user leaves the page, the loader destroys the current script and loads another. Destroyed
 * scripts go back to a pool, as they do in the engine's own heap.
 *
 * Bad interleaving: the layout thread sees that there is a current script; the loader destroys it;
 * the layout thread runs it.
 * Symptom: assertion that a script being run is alive.
 * Fix: one lock around check and use, and around the replacement.
 * Paper: PRES, table 3 (Mozilla#1, wrong results of script execution).
 *
 * fails: assert
 * threads: 3
 * args: 50
 */
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>

enum State { FREE, ALIVE };

struct Script {
	volatile State state = FREE;
	volatile int statements = 0;
};

constexpr int POOL_SIZE = 8;
constexpr int LOAD = 4000; /* steps of work of about half a nanosecond */
constexpr int LAYOUT = 2000;

class Document
{
      public:
	/* The layout thread's part. */
	void runCurrentScript()
	{
#ifdef FIXED
		std::lock_guard<std::mutex> held(lock);
#endif
		if (current != nullptr)
			run(current);
	}

	/* The loader's part: the user goes to page number `page`. */
	void leavePage(int page)
	{
		Script *loaded = load(page);
#ifdef FIXED
		std::lock_guard<std::mutex> held(lock);
#endif
		Script *old = current;
		current = nullptr;
		if (old != nullptr)
			destroy(old);
		current = loaded;
	}

	int executed = 0; /* statements; the layout thread's own */

      private:
	Script *load(int page)
	{
		Script *script = &pool[page % POOL_SIZE];
		script->statements = 1 + page % 3;
		script->state = ALIVE;
		return script;
	}

	void destroy(Script *script)
	{
		script->state = FREE;
		script->statements = 0;
	}

	void run(Script *script)
	{
		assert(script != nullptr && script->state == ALIVE && "a destroyed script is run");
		executed += script->statements;
	}

	Script pool[POOL_SIZE];
	Script *volatile current = nullptr;
#ifdef FIXED
	std::mutex lock;
#endif
};

static void work(int steps)
{
	for (volatile int i = 0; i < steps; i = i + 1)
		;
}

int main(int argc, char **argv)
{
	int pages = argc > 1 ? atoi(argv[1]) : 50;
	Document document;

	std::thread loader([&] {
		for (int page = 0; page < pages; page++) {
			work(LOAD);
			document.leavePage(page);
		}
	});
	std::thread layout([&] {
		for (int i = 0; i < 2 * pages; i++) {
			work(LAYOUT);
			document.runCurrentScript();
		}
	});
	loader.join();
	layout.join();
	return document.executed < 0;
}
