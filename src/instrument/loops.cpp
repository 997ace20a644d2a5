// What is done to loops with LLVM's own means (declared in pass.h).
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

#define HIDDEN extern "C" __attribute__((visibility("hidden")))

HIDDEN void llvm_dominators(LLVMValueRef FRef, void (*Found)(void *, LLVMBasicBlockRef, unsigned, unsigned), void *Data);

// ---- short loops are unrolled: one recorded branch for several rounds where they count; where they do not, one question for
// several rounds whether the word is full (room.c) ----

namespace
{
constexpr unsigned Rounds = 4, VectorRounds = 8, LargestBody = 64;

// A single block that touches memory and calls nothing.
bool isSimple(const Loop &L)
{
	const BasicBlock *B = L.getHeader();
	if (!L.isInnermost() || L.getNumBlocks() != 1 || B->size() > LargestBody || B->isEHPad())
		return false;
	bool Memory = false;
	for (const Instruction &I : *B) {
		if (isa<CallBase>(I) && !isa<IntrinsicInst>(I))
			return false;
		// What spins or counts for others is left as it is.
		if (I.isVolatile() || I.isAtomic())
			return false;
		Memory |= I.mayReadOrWriteMemory();
	}
	return Memory;
}

struct Analyses {
	TargetLibraryInfoImpl Library;
	TargetLibraryInfo TLI;
	TargetTransformInfo TTI;
	AssumptionCache AC;
	DominatorTree DT;
	LoopInfo LI;
	ScalarEvolution SE;
	OptimizationRemarkEmitter ORE;

	explicit Analyses(Function &F)
	    : Library(Triple(F.getParent()->getTargetTriple())), TLI(Library), TTI(F.getParent()->getDataLayout()), AC(F), DT(F),
	      LI(DT), SE(F, TLI, AC, DT, LI), ORE(&F)
	{
	}
};

/*
 * Loops over vectors do so little in a round, and so much of it is storing, that a recorded branch in four rounds is still a seventh of their time
 * (bench/programs/matrix.c).
 */
unsigned roundsOf(const Loop &L)
{
	bool Vector = getBooleanLoopAttribute(&L, "llvm.loop.isvectorized") &&
		      any_of(*L.getHeader(), [](const Instruction &I) { return I.getType()->isVectorTy(); });
	return Vector ? VectorRounds : Rounds;
}

void unroll(Analyses &A, Loop *L)
{
	unsigned Count = roundsOf(*L);
	bool Counts = !isa<SCEVCouldNotCompute>(A.SE.getBackedgeTakenCount(L));
	// A short loop of a constant number of rounds gains nothing.
	if (A.SE.getSmallConstantMaxTripCount(L) && A.SE.getSmallConstantMaxTripCount(L) < 2 * Count)
		return;
	if (!L->isLoopSimplifyForm() && !simplifyLoop(L, &A.DT, &A.LI, &A.SE, &A.AC, nullptr, false))
		return;
	formLCSSARecursively(*L, A.DT, &A.LI, &A.SE);
	UnrollLoopOptions Options = {};
	Options.Count = Count;
	Options.Runtime = Counts;
	UnrollLoop(L, Options, &A.LI, &A.SE, &A.DT, &A.AC, &A.TTI, &A.ORE, true);
}
} // namespace

HIDDEN void loops_turn(LLVMModuleRef M)
{
	for (Function &F : *unwrap(M)) {
		if (F.isDeclaration() || F.hasOptNone() || F.hasOptSize() || F.hasMinSize())
			continue;
		Analyses A(F);
		SmallVector<Loop *> Simple;
		for (Loop *L : A.LI.getLoopsInPreorder())
			if (isSimple(*L))
				Simple.push_back(L);
		for (Loop *L : Simple)
			unroll(A, L);
	}
}

// As in pass.h.
struct llvm_loop {
	LLVMBasicBlockRef Header, Latch;
	LLVMBasicBlockRef *Blocks;
	size_t N;
};

HIDDEN void llvm_inner_loops(LLVMValueRef FRef, void (*Span)(void *, LLVMBasicBlockRef, unsigned, unsigned), void *Spans,
			     unsigned (*Wants)(void *, const llvm_loop *), void (*Enters)(void *, LLVMValueRef, unsigned), void *Data)
{
	auto *F = cast<Function>(unwrap(FRef));
	Analyses A(*F);
	constexpr unsigned MostBlocks = 64, FewRounds = 4;
	auto IsTarget = [](const BasicBlock *B) { return B->hasAddressTaken(); };
	if (!A.LI.empty())
		llvm_dominators(FRef, Span, Spans);
	for (Loop *L : A.LI.getLoopsInPreorder()) {
		if (!L->isInnermost() || !L->getLoopLatch() || L->getNumBlocks() > MostBlocks || any_of(L->blocks(), IsTarget))
			continue;
		unsigned Most = A.SE.getSmallConstantMaxTripCount(L);
		if ((Most && Most < FewRounds) || isa<SCEVCouldNotCompute>(A.SE.getSymbolicMaxBackedgeTakenCount(L)))
			continue;
		SmallVector<LLVMBasicBlockRef> Blocks;
		for (BasicBlock *B : L->blocks())
			Blocks.push_back(wrap(B));
		llvm_loop Loop = {wrap(L->getHeader()), wrap(L->getLoopLatch()), Blocks.data(), Blocks.size()};
		BasicBlock *Before = L->getLoopPreheader();
		if (unsigned Number = Wants(Data, &Loop)) {
			if (!Before) {
				Before = InsertPreheaderForLoop(L, &A.DT, &A.LI, nullptr, false);
				Before->getTerminator()->setDebugLoc(DebugLoc()); // no line of the program's
			}
			Enters(Data, wrap(static_cast<Value *>(Before->getTerminator())), Number);
		}
	}
}

// ---- a second copy of a loop, for when there is nothing to ask in it ----

namespace
{
// Can it be copied with all ways out of it? What is thrown in it comes out in a block that may not be split.
bool canDouble(const Loop &L)
{
	SmallVector<BasicBlock *> Exits;
	L.getExitBlocks(Exits);
	return L.isSafeToClone() && none_of(L.blocks(), [](const BasicBlock *B) { return B->hasAddressTaken() || B->isEHPad(); }) &&
	       none_of(Exits, [](const BasicBlock *B) { return B->isEHPad(); });
}

// What comes out of the loop comes out of its copy as well.
void joinExits(const Loop &L, const ValueToValueMapTy &Map)
{
	SmallVector<BasicBlock *> Exits;
	L.getUniqueExitBlocks(Exits);
	auto CopyOf = [&](Value *V) {
		auto Found = Map.find(V);
		return Found == Map.end() ? V : static_cast<Value *>(Found->second);
	};
	for (BasicBlock *Exit : Exits)
		for (PHINode &Phi : Exit->phis())
			for (unsigned I = 0, N = Phi.getNumIncomingValues(); I < N; I++)
				if (L.contains(Phi.getIncomingBlock(I)))
					Phi.addIncoming(CopyOf(Phi.getIncomingValue(I)), cast<BasicBlock>(CopyOf(Phi.getIncomingBlock(I))));
}
} // namespace

HIDDEN void llvm_double_loops(LLVMValueRef FRef, bool (*Wants)(void *, const llvm_loop *), LLVMValueRef (*Asks)(void *, LLVMValueRef, const llvm_loop *),
			      void *Data)
{
	auto *F = cast<Function>(unwrap(FRef));
	Analyses A(*F);
	SmallVector<Loop *> Inner;
	constexpr unsigned FewRounds = 4;
	for (Loop *L : A.LI.getLoopsInPreorder()) {
		unsigned Most = L->isInnermost() ? A.SE.getSmallConstantMaxTripCount(L) : 0;
		if (L->isInnermost() && !(Most && Most < FewRounds) && canDouble(*L))
			Inner.push_back(L);
	}
	for (Loop *L : Inner) {
		SmallVector<LLVMBasicBlockRef> Blocks;
		for (BasicBlock *B : L->blocks())
			Blocks.push_back(wrap(B));
		llvm_loop Tell = {wrap(L->getHeader()), nullptr, Blocks.data(), Blocks.size()};
		if (!Wants(Data, &Tell) || (!L->isLoopSimplifyForm() && !simplifyLoop(L, &A.DT, &A.LI, &A.SE, &A.AC, nullptr, false)) || !L->isLoopSimplifyForm())
			continue;
		formLCSSA(*L, A.DT, &A.LI, &A.SE);
		BasicBlock *Before = L->getLoopPreheader();
		BasicBlock *Enters = SplitBlock(Before, Before->getTerminator(), &A.DT, &A.LI);
		ValueToValueMapTy Map;
		SmallVector<BasicBlock *> New;
		Loop *Copy = cloneLoopWithPreheader(Enters, Before, L, Map, "", &A.LI, &A.DT, New);
		remapInstructionsInBlocks(New, Map);
		joinExits(*L, Map);
		Blocks.clear();
		for (BasicBlock *B : Copy->blocks())
			Blocks.push_back(wrap(B));
		Tell = {wrap(Copy->getHeader()), nullptr, Blocks.data(), Blocks.size()};
		Instruction *End = Before->getTerminator();
		End->setDebugLoc(DebugLoc());
		Value *Asked = unwrap(Asks(Data, wrap(static_cast<Value *>(End)), &Tell));
		IRBuilder<>(End).CreateCondBr(Asked, Copy->getLoopPreheader(), Enters);
		End->eraseFromParent();
		A.DT.recalculate(*F);
	}
}
