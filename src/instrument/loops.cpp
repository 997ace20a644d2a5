// Loops that count are unrolled: one recorded branch for several rounds (pass.h).
#include "llvm-c/Core.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace
{
constexpr unsigned Rounds = 4, LargestBody = 64;

// A single block that touches memory and calls nothing: straight-line code, that goes back by a count.
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

void unroll(Analyses &A, Loop *L)
{
	const SCEV *Count = A.SE.getBackedgeTakenCount(L);
	if (isa<SCEVCouldNotCompute>(Count))
		return;
	// A short loop of a constant number of rounds gains nothing.
	if (A.SE.getSmallConstantMaxTripCount(L) && A.SE.getSmallConstantMaxTripCount(L) < 2 * Rounds)
		return;
	if (!L->isLoopSimplifyForm() && !simplifyLoop(L, &A.DT, &A.LI, &A.SE, &A.AC, nullptr, false))
		return;
	formLCSSARecursively(*L, A.DT, &A.LI, &A.SE);
	UnrollLoopOptions Options = {};
	Options.Count = Rounds;
	Options.Runtime = true;
	UnrollLoop(L, Options, &A.LI, &A.SE, &A.DT, &A.AC, &A.TTI, &A.ORE, true);
}
} // namespace

extern "C" __attribute__((visibility("hidden"))) void loops_turn(LLVMModuleRef M)
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
