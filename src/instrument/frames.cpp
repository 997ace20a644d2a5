// What functions of a library were called on, where they were inlined (declared in pass.h).
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CBindingWrapping.h"

#include <map>
#include <utility>

using namespace llvm;

#define HIDDEN extern "C" __attribute__((visibility("hidden")))

namespace
{
// A function, and where that was inlined (null: it was not).
using Frame = std::pair<const DISubprogram *, const DILocation *>;

using Objects = std::map<Frame, Value *>;

void add(Objects &All, const DILocalVariable *V, const DIExpression *E, const DILocation *At, Value *This)
{
	if (V->getArg() == 1 && V->isObjectPointer() && This && !isa<UndefValue>(This) && !E->getNumElements())
		All.try_emplace(Frame(V->getScope()->getSubprogram(), At ? At->getInlinedAt() : nullptr), This);
}

// `this` of each frame in the function; sites ask for it again and again.
const Objects &objectsOf(Function &F)
{
	static std::map<const Function *, Objects> Known;
	auto [Found, New] = Known.try_emplace(&F);
	Objects &All = Found->second;
	if (!New)
		return All;
	for (Instruction &I : instructions(F)) {
		if (auto *D = dyn_cast<DbgValueInst>(&I))
			add(All, D->getVariable(), D->getExpression(), D->getDebugLoc().get(), D->getVariableLocationOp(0));
		for (DbgVariableRecord &D : filterDbgVars(I.getDbgRecordRange()))
			if (D.isDbgValue())
				add(All, D.getVariable(), D.getExpression(), D.getDebugLoc().get(), D.getVariableLocationOp(0));
	}
	return All;
}

Value *objectAt(Function &F, const Frame &At)
{
	const Objects &All = objectsOf(F);
	auto Found = All.find(At);
	return Found == All.end() ? nullptr : Found->second;
}
} // namespace

HIDDEN unsigned llvm_called_on(LLVMValueRef IRef, bool (*IsForeign)(const char *), LLVMValueRef *All, unsigned Most)
{
	auto *I = cast<Instruction>(unwrap(IRef));
	SmallVector<Frame, 8> Frames;
	for (const DILocation *L = I->getDebugLoc().get(); L && IsForeign(L->getFilename().str().c_str()); L = L->getInlinedAt())
		Frames.push_back(Frame(L->getScope()->getSubprogram(), L->getInlinedAt()));
	unsigned N = 0;
	for (auto F = Frames.rbegin(); F != Frames.rend() && N < Most; ++F)
		if (Value *This = objectAt(*I->getFunction(), *F))
			All[N++] = wrap(This);
	return N;
}

HIDDEN LLVMValueRef llvm_this_of(LLVMValueRef FRef)
{
	auto *F = cast<Function>(unwrap(FRef));
	if (!F->getSubprogram())
		return nullptr;
	Value *This = objectAt(*F, Frame(F->getSubprogram(), nullptr));
	return This ? wrap(This) : nullptr;
}

HIDDEN bool llvm_is_in_file(LLVMValueRef FRef, bool (*IsForeign)(const char *))
{
	const DISubprogram *S = cast<Function>(unwrap(FRef))->getSubprogram();
	return S && IsForeign(S->getFilename().str().c_str());
}
