// The plugin boundary, and the few things that LLVM's C interface cannot do (declared in pass.h).
#include "llvm-c/BitWriter.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CBindingWrapping.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/SHA1.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#include <cstring>
#include <vector>

using namespace llvm;

extern "C" bool rethread_instrument(LLVMModuleRef);

namespace
{
struct RethreadPass : PassInfoMixin<RethreadPass> {
	PreservedAnalyses run(Module &M, ModuleAnalysisManager &)
	{
		return rethread_instrument(wrap(&M)) ? PreservedAnalyses::none()
						     : PreservedAnalyses::all();
	}
	static bool isRequired()
	{
		return true;
	}
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	return {LLVM_PLUGIN_API_VERSION, "rethread", "1", [](PassBuilder &PB) {
			PB.registerFullLinkTimeOptimizationLastEPCallback(
				[](ModulePassManager &MPM, OptimizationLevel) {
					MPM.addPass(RethreadPass());
				});
		}};
}

#define HIDDEN extern "C" __attribute__((visibility("hidden")))

HIDDEN void llvm_sha1(const void *Data, size_t Size, uint8_t Out[20])
{
	auto Hash = SHA1::hash(ArrayRef<uint8_t>(static_cast<const uint8_t *>(Data), Size));
	memcpy(Out, Hash.data(), 20);
}

// `dso_local` on a declaration says where the linker found the symbol. The two runtimes define
// different functions, so it would make the bitcode of the two links differ.
HIDDEN LLVMMemoryBufferRef llvm_write_bitcode(LLVMModuleRef MRef)
{
	Module &M = *unwrap(MRef);
	std::vector<GlobalValue *> Local;
	for (GlobalValue &G : M.global_values())
		if (G.isDeclaration() && G.isDSOLocal() && !G.isImplicitDSOLocal())
			Local.push_back(&G);
	for (GlobalValue *G : Local)
		G->setDSOLocal(false);
	LLVMMemoryBufferRef Buffer = LLVMWriteBitcodeToMemoryBuffer(MRef);
	for (GlobalValue *G : Local)
		G->setDSOLocal(true);
	return Buffer;
}

HIDDEN void llvm_drop_available_externally(LLVMModuleRef MRef)
{
	Module &M = *unwrap(MRef);
	for (Function &F : M) {
		if (!F.hasAvailableExternallyLinkage())
			continue;
		F.deleteBody(); // sets external linkage
		F.setComdat(nullptr);
	}
	for (GlobalVariable &G : M.globals()) {
		if (!G.hasAvailableExternallyLinkage())
			continue;
		G.setInitializer(nullptr);
		G.setLinkage(GlobalValue::ExternalLinkage);
		G.setComdat(nullptr);
	}
}

HIDDEN void llvm_keep(LLVMValueRef V)
{
	auto *G = cast<GlobalVariable>(unwrap(V));
	appendToUsed(*G->getParent(), {G});
}

HIDDEN void llvm_inline(LLVMValueRef Call)
{
	InlineFunctionInfo Info;
	InlineFunction(*cast<CallBase>(unwrap(Call)), Info);
}

HIDDEN bool llvm_address_taken(LLVMValueRef F)
{
	return cast<Function>(unwrap(F))->hasAddressTaken();
}

// As in pass.h.
struct llvm_place {
	const char *Name, *Function, *File;
	unsigned Line;
};

// Metadata strings end in a NUL.
static const char *text(StringRef S)
{
	return S.empty() ? nullptr : S.data();
}

static void placeOfVariable(const DIVariable *V, llvm_place *P)
{
	P->Name = text(V->getName());
	P->File = text(V->getFilename());
	P->Line = V->getLine();
	if (auto *L = dyn_cast<DILocalVariable>(V))
		P->Function = text(L->getScope()->getSubprogram()->getName());
}

// The variables whose value a load reads, as debug information says.
static void variablesOfLoad(LoadInst *L, SmallPtrSetImpl<const DILocalVariable *> &Found)
{
	SmallVector<DbgValueInst *, 4> Calls;
	SmallVector<DbgVariableRecord *, 4> Records;
	findDbgValues(Calls, L, &Records);
	for (DbgVariableRecord *D : Records)
		if (!D->hasArgList() && !D->getExpression()->getNumElements())
			Found.insert(D->getVariable());
}

// The same of a store: it says so just before.
static void variablesOfStore(StoreInst *S, SmallPtrSetImpl<const DILocalVariable *> &Found)
{
	for (DbgVariableRecord &D : filterDbgVars(S->getDbgRecordRange()))
		if (D.isDbgValue() && !D.hasArgList() && !D.getExpression()->getNumElements() && D.getVariableLocationOp(0) == S->getValueOperand())
			Found.insert(D.getVariable());
}

// The optimiser forgets where a number lies and keeps what is loaded and stored there: the one variable that all of that is about. What is only loaded may be a copy.
static const DILocalVariable *variableByAccesses(AllocaInst *A)
{
	SmallPtrSet<const DILocalVariable *, 4> All, One;
	bool Stored = false, First = true;
	for (User *U : A->users()) {
		auto *L = dyn_cast<LoadInst>(U);
		auto *S = dyn_cast<StoreInst>(U);
		if (S && S->getPointerOperand() != A)
			continue;
		if ((!L && !S) || (L ? L->getType() : S->getValueOperand()->getType()) != A->getAllocatedType())
			continue;
		One.clear();
		if (L)
			variablesOfLoad(L, One);
		else
			variablesOfStore(S, One);
		if (One.empty())
			continue;
		Stored |= S != nullptr;
		if (First)
			All = One;
		else
			All.remove_if([&](const DILocalVariable *V) { return !One.count(V); });
		First = false;
	}
	return Stored && All.size() == 1 ? *All.begin() : nullptr;
}

static const DILocalVariable *variableOf(AllocaInst *A)
{
	for (DbgDeclareInst *D : findDbgDeclares(A))
		return D->getVariable();
	for (DbgVariableRecord *D : findDVRDeclares(A))
		return D->getVariable();
	return A->getAllocatedType()->isAggregateType() ? nullptr : variableByAccesses(A);
}

static void placeAt(const Instruction *I, const DILocation *L, llvm_place *P)
{
	const DISubprogram *Sub = I->getFunction()->getSubprogram();
	P->Function = I->getFunction()->getName().data();
	if (L) {
		P->Line = L->getLine();
		P->File = text(L->getFilename());
		Sub = L->getScope()->getSubprogram();
	} else if (Sub) {
		P->File = text(Sub->getFilename());
	}
	if (Sub && text(Sub->getName()))
		P->Function = Sub->getName().data();
}

// As in src/sym/translate_debug.c: what the optimiser moved has no line any more; a value that was read belongs to where it is used.
static const DILocation *locationOf(const Instruction *I)
{
	const DILocation *L = I->getDebugLoc().get();
	if (!L && isa<LoadInst>(I))
		for (const User *U : I->users())
			if (auto *By = dyn_cast<Instruction>(U); By && (L = By->getDebugLoc().get()))
				break;
	return L;
}

HIDDEN void llvm_place_of(LLVMValueRef VRef, llvm_place *P)
{
	Value *V = unwrap(VRef);
	*P = {nullptr, nullptr, nullptr, 0};
	if (auto *G = dyn_cast<GlobalVariable>(V)) {
		SmallVector<DIGlobalVariableExpression *, 1> All;
		G->getDebugInfo(All);
		if (!All.empty())
			placeOfVariable(All[0]->getVariable(), P);
		return;
	}
	auto *I = cast<Instruction>(V);
	auto *A = dyn_cast<AllocaInst>(I);
	if (auto *Local = A ? variableOf(A) : nullptr)
		return placeOfVariable(Local, P);
	placeAt(I, locationOf(I), P);
}

// Code of a file that is not the program's own is where it was inlined into one that is, if it was.
HIDDEN void llvm_own_place_of(LLVMValueRef VRef, bool (*IsForeign)(const char *), llvm_place *P)
{
	auto *I = cast<Instruction>(unwrap(VRef));
	const DILocation *Innermost = locationOf(I), *L = Innermost;
	while (L && text(L->getFilename()) && IsForeign(L->getFilename().data()))
		L = L->getInlinedAt();
	*P = {nullptr, nullptr, nullptr, 0};
	placeAt(I, L ? L : Innermost, P);
}

// LLVM's own functions for this make a value of each operand of a node.
HIDDEN unsigned llvm_node_operands(LLVMMetadataRef Node)
{
	return cast<MDNode>(unwrap(Node))->getNumOperands();
}

HIDDEN LLVMMetadataRef llvm_node_operand(LLVMMetadataRef NodeRef, unsigned I)
{
	auto *Node = cast<MDNode>(unwrap(NodeRef));
	return I < Node->getNumOperands() ? wrap(Node->getOperand(I).get()) : nullptr;
}

HIDDEN const char *llvm_node_text(LLVMMetadataRef String)
{
	auto *S = dyn_cast<MDString>(unwrap(String));
	return S ? text(S->getString()) : nullptr;
}

HIDDEN void llvm_types(LLVMModuleRef M, void (*Found)(void *, LLVMMetadataRef), void *Data)
{
	DebugInfoFinder Finder;
	Finder.processModule(*unwrap(M));
	for (DIType *T : Finder.types())
		Found(Data, wrap(T));
}

HIDDEN unsigned llvm_variable_types(LLVMValueRef VRef, LLVMMetadataRef *Types, const char **Names, unsigned Most)
{
	SmallVector<DbgValueInst *, 4> Calls;
	SmallVector<DbgVariableRecord *, 4> Records;
	unsigned N = 0;
	findDbgValues(Calls, unwrap(VRef), &Records);
	auto Add = [&](auto *D) {
		if (N == Most || D->hasArgList() || D->getExpression()->getNumElements() || !D->getVariable()->getType())
			return;
		if (Names)
			Names[N] = text(D->getVariable()->getName());
		Types[N++] = wrap(D->getVariable()->getType());
	};
	for (DbgValueInst *D : Calls)
		Add(D);
	for (DbgVariableRecord *D : Records)
		Add(D);
	return N;
}

HIDDEN LLVMMetadataRef llvm_declared_type(LLVMValueRef VRef)
{
	Value *V = unwrap(VRef);
	const DIVariable *Variable = nullptr;
	SmallVector<DIGlobalVariableExpression *, 1> All;
	if (auto *A = dyn_cast<AllocaInst>(V))
		Variable = variableOf(A);
	if (auto *G = dyn_cast<GlobalVariable>(V))
		G->getDebugInfo(All);
	if (All.size() == 1 && !All[0]->getExpression()->getNumElements())
		Variable = All[0]->getVariable();
	return Variable && Variable->getType() ? wrap(Variable->getType()) : nullptr;
}

HIDDEN LLVMMetadataRef llvm_declared_part(LLVMValueRef VRef, uint64_t *Offset)
{
	auto *G = dyn_cast<GlobalVariable>(unwrap(VRef));
	SmallVector<DIGlobalVariableExpression *, 1> All;
	*Offset = 0;
	if (G)
		G->getDebugInfo(All);
	auto Part = All.size() == 1 ? All[0]->getExpression()->getFragmentInfo() : std::nullopt;
	if (!Part || All[0]->getExpression()->getNumElements() != 3)
		return llvm_declared_type(VRef);
	*Offset = Part->OffsetInBits / 8;
	const DIType *Type = All[0]->getVariable()->getType();
	return Type ? wrap(Type) : nullptr;
}

HIDDEN void llvm_pointer_offset(LLVMValueRef V, LLVMTargetDataRef Layout, int64_t *Constant, uint64_t *Stride)
{
	auto *P = cast<GEPOperator>(unwrap(V));
	unsigned Width = unwrap(Layout)->getIndexTypeSizeInBits(P->getType());
	MapVector<Value *, APInt> Steps;
	APInt Offset(Width, 0);
	bool Known = P->collectOffset(*unwrap(Layout), Width, Steps, Offset);
	*Constant = Known ? Offset.getSExtValue() : INT64_MIN / 4;
	*Stride = 0;
	// The first index is that of an element of an array, also where it is a constant.
	uint64_t Element = unwrap(Layout)->getTypeAllocSize(P->getSourceElementType());
	auto *First = dyn_cast<ConstantInt>(*P->idx_begin());
	if (Known && First && !First->isZero() && Element > 1) {
		*Constant -= First->getSExtValue() * int64_t(Element);
		*Stride = Element;
	}
	for (auto &Step : Steps) {
		uint64_t S = Step.second.abs().getZExtValue();
		if (S && (!*Stride || S < *Stride))
			*Stride = S;
	}
}

HIDDEN bool llvm_is_used(LLVMValueRef G)
{
	auto *V = cast<GlobalValue>(unwrap(G));
	V->removeDeadConstantUsers();
	return !V->use_empty();
}

HIDDEN bool llvm_call_without_memory(LLVMValueRef Call)
{
	return cast<CallBase>(unwrap(Call))->doesNotAccessMemory();
}

HIDDEN LLVMValueRef llvm_unlikely_if(LLVMValueRef Cond, LLVMValueRef Before)
{
	auto *I = cast<Instruction>(unwrap(Before));
	MDNode *Weights = MDBuilder(I->getContext()).createBranchWeights(1, (1u << 20) - 1);
	return wrap(SplitBlockAndInsertIfThen(unwrap(Cond), I, false, Weights));
}

HIDDEN void llvm_unlikely_if_else(LLVMValueRef Cond, LLVMValueRef Before, LLVMValueRef *Then, LLVMValueRef *Else)
{
	auto *I = cast<Instruction>(unwrap(Before));
	MDNode *Weights = MDBuilder(I->getContext()).createBranchWeights(1, (1u << 20) - 1);
	Instruction *InThen, *InElse;
	SplitBlockAndInsertIfThenElse(unwrap(Cond), I, &InThen, &InElse, Weights);
	*Then = wrap(static_cast<Value *>(InThen));
	*Else = wrap(static_cast<Value *>(InElse));
}

HIDDEN LLVMValueRef llvm_split_edge(LLVMValueRef Terminator, unsigned I)
{
	auto *T = cast<Instruction>(unwrap(Terminator));
	BasicBlock *From = T->getParent();
	BasicBlock *To = T->getSuccessor(I);
	BasicBlock *Edge = BasicBlock::Create(T->getContext(), "", From->getParent(), To);
	Edge->IsNewDbgInfoFormat = From->IsNewDbgInfoFormat;
	T->setSuccessor(I, Edge);
	auto *Br = BranchInst::Create(To, Edge);
	Br->setDebugLoc(T->getDebugLoc());
	// One of the edges from From to To moved; a phi has an entry for each of them.
	for (PHINode &Phi : To->phis())
		Phi.setIncomingBlock(unsigned(Phi.getBasicBlockIndex(From)), Edge);
	return wrap(static_cast<Value *>(Br));
}

HIDDEN LLVMValueRef llvm_split_before(LLVMValueRef Before)
{
	auto *I = cast<Instruction>(unwrap(Before));
	BasicBlock *First = I->getParent();
	First->splitBasicBlock(I->getIterator());
	return wrap(static_cast<Value *>(First->getTerminator()));
}

HIDDEN unsigned llvm_loops(LLVMValueRef FRef, void (*Found)(void *, LLVMBasicBlockRef, unsigned), void *Data)
{
	auto *F = cast<Function>(unwrap(FRef));
	DominatorTree DT(*F);
	LoopInfo Loops(DT);
	DenseMap<const Loop *, unsigned> Numbers;
	for (BasicBlock &B : *F)
		if (const Loop *L = Loops.getLoopFor(&B))
			Found(Data, wrap(&B), Numbers.try_emplace(L, Numbers.size() + 1).first->second);
	return Numbers.size();
}

HIDDEN void llvm_likelihoods(LLVMValueRef FRef, void (*Found)(void *, LLVMValueRef, unsigned), void *Data)
{
	auto *F = cast<Function>(unwrap(FRef));
	DominatorTree DT(*F);
	LoopInfo Loops(DT);
	BranchProbabilityInfo Probabilities(*F, Loops);
	for (BasicBlock &B : *F) {
		auto *Br = dyn_cast<BranchInst>(B.getTerminator());
		if (Br && Br->isConditional())
			Found(Data, wrap(Br), unsigned(Probabilities.getEdgeProbability(&B, 0u).scale(100)));
	}
}

HIDDEN void llvm_swap_ways(LLVMValueRef BrRef)
{
	auto *Br = cast<BranchInst>(unwrap(BrRef));
	auto *Compare = dyn_cast<CmpInst>(Br->getCondition());
	if (Compare && Compare->hasOneUse())
		Compare->setPredicate(Compare->getInversePredicate());
	else
		Br->setCondition(IRBuilder<>(Br).CreateNot(Br->getCondition()));
	Br->swapSuccessors();
}

HIDDEN void llvm_loop_depths(LLVMValueRef FRef, void (*Found)(void *, LLVMBasicBlockRef, unsigned), void *Data)
{
	auto *F = cast<Function>(unwrap(FRef));
	DominatorTree DT(*F);
	LoopInfo Loops(DT);
	for (BasicBlock &B : *F)
		if (unsigned Depth = Loops.getLoopDepth(&B))
			Found(Data, wrap(&B), Depth);
}

static void tellSpans(Function &F, DominatorTree &DT, void (*Found)(void *, LLVMBasicBlockRef, unsigned, unsigned), void *Data)
{
	DT.updateDFSNumbers();
	for (BasicBlock &B : F)
		if (const DomTreeNode *N = DT.getNode(&B))
			Found(Data, wrap(&B), N->getDFSNumIn(), N->getDFSNumOut());
}

HIDDEN void llvm_dominators(LLVMValueRef FRef, void (*Found)(void *, LLVMBasicBlockRef, unsigned, unsigned), void *Data)
{
	auto *F = cast<Function>(unwrap(FRef));
	DominatorTree DT(*F);
	tellSpans(*F, DT, Found, Data);
}

HIDDEN LLVMValueRef llvm_split_entry(LLVMValueRef FRef)
{
	auto *F = cast<Function>(unwrap(FRef));
	BasicBlock &Entry = F->getEntryBlock();
	BasicBlock *Rest = Entry.splitBasicBlock(Entry.getFirstNonPHIOrDbgOrAlloca());
	Instruction *Front = Entry.getTerminator();
	for (Instruction &I : make_early_inc_range(*Rest))
		if (auto *A = dyn_cast<AllocaInst>(&I))
			if (isa<ConstantInt>(A->getArraySize()))
				A->moveBefore(Front);
	return wrap(static_cast<Value *>(&*Rest->getFirstInsertionPt()));
}

static AttributeList signatureAttributes(Function &F)
{
	return F.getAttributes().removeFnAttributes(F.getContext());
}

HIDDEN void llvm_copy_signature_attributes(LLVMValueRef From, LLVMValueRef To)
{
	auto *F = cast<Function>(unwrap(To));
	AttributeList A = signatureAttributes(*cast<Function>(unwrap(From)));
	AttrBuilder Own(F->getContext(), F->getAttributes().getFnAttrs());
	F->setAttributes(A.addFnAttributes(F->getContext(), Own));
}

HIDDEN void llvm_copy_signature_attributes_to_call(LLVMValueRef From, LLVMValueRef To)
{
	cast<CallBase>(unwrap(To))
		->setAttributes(signatureAttributes(*cast<Function>(unwrap(From))));
}

HIDDEN void llvm_set_local_in_executable(LLVMValueRef GRef)
{
	auto *G = cast<GlobalValue>(unwrap(GRef));
	const Module &M = *G->getParent();
	G->setDSOLocal(M.getPICLevel() == PICLevel::NotPIC || M.getPIELevel() != PIELevel::Default);
}

HIDDEN LLVMValueRef llvm_build_tls_address(LLVMBuilderRef B, LLVMValueRef Variable)
{
	return wrap(unwrap(B)->CreateThreadLocalAddress(unwrap(Variable)));
}

HIDDEN bool llvm_is_musttail(LLVMValueRef Call)
{
	return cast<CallBase>(unwrap(Call))->isMustTailCall();
}

HIDDEN bool llvm_does_not_return(LLVMValueRef Call)
{
	return cast<CallBase>(unwrap(Call))->doesNotReturn();
}

HIDDEN bool llvm_never_calls_back(LLVMValueRef F)
{
	return cast<Function>(unwrap(F))->hasFnAttribute(Attribute::NoCallback);
}

HIDDEN LLVMValueRef llvm_after_allocas(LLVMValueRef F)
{
	return wrap(static_cast<Value *>(
		&*cast<Function>(unwrap(F))->getEntryBlock().getFirstNonPHIOrDbgOrAlloca()));
}

HIDDEN void llvm_drop_body(LLVMValueRef FRef)
{
	auto *F = cast<Function>(unwrap(FRef));
	GlobalValue::LinkageTypes Linkage = F->getLinkage();
	F->deleteBody();
	F->setLinkage(Linkage);
}

// Where a pointer is counted on from: the one value, seen through additions, phis (which are noted) and choices; null: there are several.
static Value *baseOf(Value *From, Value *Base, SmallPtrSetImpl<PHINode *> &Phis)
{
	SmallVector<Value *, 8> Left{From};
	for (unsigned Steps = 0; !Left.empty(); Steps++) {
		Value *V = Left.pop_back_val();
		if (Steps == 64)
			return nullptr;
		if (auto *G = dyn_cast<GEPOperator>(V)) {
			Left.push_back(G->getPointerOperand());
		} else if (auto *S = dyn_cast<SelectInst>(V)) {
			Left.append({S->getTrueValue(), S->getFalseValue()});
		} else if (auto *P = dyn_cast<PHINode>(V)) {
			if (Phis.insert(P).second)
				Left.append(P->value_op_begin(), P->value_op_end());
		} else if (Base && Base != V) {
			return nullptr;
		} else {
			Base = V;
		}
	}
	return Base;
}

HIDDEN void llvm_compared_places(LLVMValueRef FRef, void (*Found)(void *, LLVMValueRef), void *Data)
{
	auto &F = *cast<Function>(unwrap(FRef));
	DominatorTree DT(F);
	for (Instruction &I : instructions(F)) {
		auto *C = dyn_cast<ICmpInst>(&I);
		if (!C || !C->getOperand(0)->getType()->isPointerTy())
			continue;
		SmallPtrSet<PHINode *, 8> Phis;
		Value *Base = baseOf(C->getOperand(0), nullptr, Phis);
		if (!Base || !baseOf(C->getOperand(1), Base, Phis) || isa<ConstantPointerNull>(Base))
			continue;
		auto *Def = dyn_cast<Instruction>(Base);
		if (!Def || all_of(Phis, [&](PHINode *P) { return DT.properlyDominates(Def->getParent(), P->getParent()); }))
			Found(Data, wrap(static_cast<Value *>(C)));
	}
}

HIDDEN void llvm_promote(LLVMValueRef FRef, LLVMValueRef *Allocas, unsigned N)
{
	SmallVector<AllocaInst *> Locals;
	SmallVector<WeakTrackingVH> Stored;
	for (unsigned I = 0; I < N; I++) {
		auto *A = cast<AllocaInst>(unwrap(Allocas[I]));
		Locals.push_back(A);
		for (User *U : A->users())
			if (auto *S = dyn_cast<StoreInst>(U))
				Stored.push_back(S->getValueOperand());
	}
	DominatorTree DT(*cast<Function>(unwrap(FRef)));
	PromoteMemToReg(Locals, DT);
	RecursivelyDeleteTriviallyDeadInstructionsPermissive(Stored);
}

HIDDEN void llvm_set_memory_intrinsic_volatile(LLVMValueRef Call)
{
	if (auto *M = dyn_cast<MemIntrinsic>(unwrap(Call)))
		M->setVolatile(ConstantInt::getTrue(M->getContext()));
}

// ---------------------------------------------------------------- library functions (shared.h)

struct llvm_library {
	TargetLibraryInfoImpl Impl;
	TargetLibraryInfo Info;
	explicit llvm_library(const Triple &T) : Impl(T), Info(Impl)
	{
	}
};

HIDDEN llvm_library *llvm_library_new(LLVMModuleRef MRef)
{
	Module &M = *unwrap(MRef);
	auto *L = new llvm_library(Triple(M.getTargetTriple()));
	// The optimiser has done this already, except at -O0.
	for (Function &F : M)
		if (F.isDeclaration() && !F.isIntrinsic())
			inferNonMandatoryLibFuncAttrs(F, L->Info);
	return L;
}

HIDDEN void llvm_library_free(llvm_library *L)
{
	delete L;
}

HIDDEN bool llvm_library_knows(llvm_library *L, LLVMValueRef F)
{
	LibFunc Which;
	return L->Info.getLibFunc(*cast<Function>(unwrap(F)), Which);
}

HIDDEN bool llvm_returns_fresh(LLVMValueRef Call)
{
	return cast<CallBase>(unwrap(Call))->returnDoesNotAlias();
}

HIDDEN bool llvm_is_allocation(llvm_library *L, LLVMValueRef Call)
{
	return isAllocationFn(unwrap(Call), &L->Info);
}

HIDDEN bool llvm_is_reallocation(llvm_library *, LLVMValueRef Call)
{
	return getReallocatedOperand(cast<CallBase>(unwrap(Call))) != nullptr;
}

// What hands a pointer on.
struct HandedOn : CaptureTracker {
	std::vector<const Instruction *> At;
	bool TooMany = false;
	void tooManyUses() override { TooMany = true; }
	bool captured(const Use *U) override
	{
		if (!isa<ReturnInst>(U->getUser()))
			At.push_back(cast<Instruction>(U->getUser()));
		return false;
	}
};

// May To come after From, without going through Made's block in between? From and To are behind it.
static bool comesAfter(const Instruction *From, const Instruction *To, const BasicBlock *Made)
{
	if (From->getParent() == To->getParent() && From->comesBefore(To))
		return true;
	SmallPtrSet<const BasicBlock *, 32> Seen = {Made};
	SmallVector<const BasicBlock *, 32> Left(successors(From->getParent()));
	while (!Left.empty()) {
		const BasicBlock *B = Left.pop_back_val();
		if (!Seen.insert(B).second)
			continue;
		if (B == To->getParent())
			return true;
		append_range(Left, successors(B));
	}
	return false;
}

// LLVM's own PointerMayBeCapturedBefore gives up in functions of more than 32 blocks, and does not know that each round of a loop has another object.
HIDDEN bool llvm_is_new_at(llvm_library *L, LLVMValueRef Pointer, LLVMValueRef At)
{
	auto *Made = dyn_cast<CallBase>(getUnderlyingObject(unwrap(Pointer)));
	if (!Made || !isAllocationFn(Made, &L->Info))
		return false;
	HandedOn H;
	PointerMayBeCaptured(Made, &H);
	for (const Instruction *I : H.At)
		if (comesAfter(I, cast<Instruction>(unwrap(At)), Made->getParent()))
			return false;
	return !H.TooMany;
}

HIDDEN bool llvm_is_deallocation(llvm_library *L, LLVMValueRef Call)
{
	auto *C = cast<CallBase>(unwrap(Call));
	return getFreedOperand(C, &L->Info) && !getReallocatedOperand(C);
}

HIDDEN bool llvm_only_reads(LLVMValueRef Call)
{
	return cast<CallBase>(unwrap(Call))->onlyReadsMemory();
}

HIDDEN bool llvm_argument_not_captured(LLVMValueRef Call, unsigned I)
{
	return cast<CallBase>(unwrap(Call))->doesNotCapture(I);
}

HIDDEN bool llvm_argument_only_read(LLVMValueRef Call, unsigned I)
{
	return cast<CallBase>(unwrap(Call))->onlyReadsMemory(I);
}

// Names that clang gives to number types in strict-aliasing metadata.
static bool isNumberName(StringRef Name)
{
	static const char *const Numbers[] = {"long",        "long long", "int",  "short",
					      "double",      "float",     "bool", "_Bool",
					      "long double", "__int128"};
	for (const char *Number : Numbers)
		if (Name == Number)
			return true;
	return false;
}

HIDDEN bool llvm_may_copy_pointer(LLVMValueRef Access)
{
	MDNode *Tag = cast<Instruction>(unwrap(Access))->getMetadata(LLVMContext::MD_tbaa);
	if (!Tag || Tag->getNumOperands() < 2)
		return true;
	auto *Type = dyn_cast_or_null<MDNode>(Tag->getOperand(1));
	auto *Name =
		Type && Type->getNumOperands() ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
	return !Name || !isNumberName(Name->getString());
}

// ---------------------------------------------------------------- what can be recomputed (shared.h)

HIDDEN LLVMValueRef llvm_object_of(LLVMValueRef Pointer)
{
	SmallVector<const Value *> Objects;
	getUnderlyingObjects(unwrap(Pointer), Objects, nullptr, 0);
	if (Objects.size() != 1)
		return Pointer;
	// An alloca that is executed again is another object.
	auto *A = dyn_cast<AllocaInst>(Objects[0]);
	if (A && !A->isStaticAlloca())
		return Pointer;
	return wrap(const_cast<Value *>(Objects[0]));
}

// Does the instruction write all of the variable?
static bool writesWhole(const Instruction &I, const AllocaInst &A, uint64_t Size, const DataLayout &DL)
{
	auto *S = dyn_cast<StoreInst>(&I);
	return S && S->getPointerOperand() == &A && DL.getTypeStoreSize(S->getValueOperand()->getType()) >= Size;
}

// Is it written elsewhere, by a constructor for instance, or part by part? Then that is taken to come first, as in the heap.
static bool isHandedOn(const AllocaInst &A)
{
	return any_of(A.users(), [&](const User *U) {
		auto *I = cast<Instruction>(U);
		auto *S = dyn_cast<StoreInst>(I);
		return !isa<LoadInst>(I) && !(S && S->getValueOperand() != &A) && !I->isLifetimeStartOrEnd();
	});
}

static bool isInitialised(AllocaInst &A, const DominatorTree &DT)
{
	if (isHandedOn(A))
		return true;
	const DataLayout &DL = A.getModule()->getDataLayout();
	auto Size = A.getAllocationSize(DL);
	if (!Size || Size->isScalable())
		return false;
	for (User *U : A.users()) {
		auto *Init = dyn_cast<Instruction>(U);
		if (!Init || !writesWhole(*Init, A, Size->getFixedValue(), DL))
			continue;
		bool First = true;
		for (Use &Other : A.uses()) {
			auto *I = cast<Instruction>(Other.getUser());
			First &= I == Init || I->isLifetimeStartOrEnd() || DT.dominates(Init, Other);
		}
		if (First)
			return true;
	}
	return false;
}

HIDDEN void llvm_uninitialised(LLVMValueRef FRef, void (*Found)(void *, LLVMValueRef), void *Data)
{
	auto *F = cast<Function>(unwrap(FRef));
	DominatorTree DT(*F);
	for (Instruction &I : instructions(*F))
		if (auto *A = dyn_cast<AllocaInst>(&I))
			if (!isInitialised(*A, DT))
				Found(Data, wrap(static_cast<Value *>(A)));
}

HIDDEN bool llvm_is_never_undefined(LLVMValueRef V)
{
	return isGuaranteedNotToBeUndefOrPoison(unwrap(V));
}

HIDDEN bool llvm_shifts_in_range(LLVMValueRef Shift)
{
	auto *I = cast<Instruction>(unwrap(Shift));
	KnownBits Amount = computeKnownBits(I->getOperand(1), I->getModule()->getDataLayout());
	return Amount.getMaxValue().ult(Amount.getBitWidth());
}

HIDDEN bool llvm_is_relaxed_float(LLVMValueRef I)
{
	auto *Op = dyn_cast<FPMathOperator>(unwrap(I));
	return Op && Op->getFastMathFlags().any();
}

// An internal copy of F.
static Function *copy_of(Function *F, const Twine &Name)
{
	ValueToValueMapTy Map;
	Function *Copy = CloneFunction(F, Map);
	Copy->setName(Name);
	Copy->setLinkage(GlobalValue::InternalLinkage);
	Copy->setVisibility(GlobalValue::DefaultVisibility);
	Copy->setComdat(nullptr);
	return Copy;
}

HIDDEN LLVMValueRef llvm_copy_as(LLVMValueRef F, const char *Name)
{
	return wrap(copy_of(cast<Function>(unwrap(F)), Name));
}

// An internal copy of F; NULL where F cannot be copied or called in its caller's place.
HIDDEN LLVMValueRef llvm_copy_function(LLVMValueRef FRef, const char *Suffix)
{
	auto *F = cast<Function>(unwrap(FRef));
	// LLVM 19 does not pass structs on the stack on to what takes the function's place in a way that works.
	if (F->isVarArg() || F->hasOptNone() || any_of(F->args(), [](Argument &A) { return A.hasPassPointeeByValueCopyAttr(); }) ||
	    any_of(*F, [](BasicBlock &B) { return B.hasAddressTaken(); }))
		return nullptr;
	return wrap(copy_of(F, F->getName() + Suffix));
}

// All that uses F, and its name, goes over to a new function without a body, which is returned; F becomes internal.
HIDDEN LLVMValueRef llvm_take_place(LLVMValueRef FRef, const char *Suffix)
{
	auto *F = cast<Function>(unwrap(FRef));
	auto *T = Function::Create(F->getFunctionType(), F->getLinkage(), F->getAddressSpace(), "", F->getParent());
	T->copyAttributesFrom(F);
	T->setPersonalityFn(nullptr);
	T->setComdat(F->getComdat());
	T->takeName(F);
	F->replaceAllUsesWith(T);
	F->setName(T->getName() + Suffix);
	F->setLinkage(GlobalValue::InternalLinkage);
	F->setVisibility(GlobalValue::DefaultVisibility);
	F->setComdat(nullptr);
	return wrap(T);
}

// return F(the parameters of From), in whose last block Builder is.
HIDDEN void llvm_go_on_in(LLVMBuilderRef Builder, LLVMValueRef FromRef, LLVMValueRef FRef)
{
	auto *From = cast<Function>(unwrap(FromRef)), *F = cast<Function>(unwrap(FRef));
	IRBuilder<> &B = *unwrap(Builder);
	SmallVector<Value *, 8> Arguments;
	for (Argument &A : From->args())
		Arguments.push_back(&A);
	CallInst *Call = B.CreateCall(F, Arguments);
	Call->setCallingConv(F->getCallingConv());
	Call->setAttributes(F->getAttributes().removeFnAttributes(F->getContext()));
	Call->setTailCallKind(CallInst::TCK_MustTail);
	if (F->getReturnType()->isVoidTy())
		B.CreateRetVoid();
	else
		B.CreateRet(Call);
}

// Bitcode does not say in which order the uses of a value are, and the code generator breaks ties by it: with the order that reading
// leaves, loops become up to half as slow again.
HIDDEN void llvm_sort_uses(LLVMModuleRef M)
{
	for (Function &F : *unwrap(M)) {
		DenseMap<const User *, unsigned> Number;
		for (Instruction &I : instructions(F))
			Number[&I] = Number.size() + 1;
		auto Earlier = [&](const Use &A, const Use &B) { return Number.lookup(A.getUser()) < Number.lookup(B.getUser()); };
		for (Argument &A : F.args())
			A.sortUseList(Earlier);
		for (Instruction &I : instructions(F))
			I.sortUseList(Earlier);
	}
}
