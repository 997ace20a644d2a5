/*
 * A dispatch loop; included by interp_run.c once with SYMBOLIC 0 and once with SYMBOLIC 1.
 *
 * r, x and fm are the running frame's registers, expressions and memory. An instruction whose operands are
 * concrete does the same in both loops, the symbolic one having looked.
 */
/* clang-format off */

#if SYMBOLIC
#define E(n) x[n]
#define CONCRETE(n, why)                                \
	do {                                            \
		if (__builtin_expect(x[n] != 0, 0)) {   \
			t->pc = pc;                     \
			reg_concrete(t, n, why);        \
		}                                       \
	} while (0)
#else
#define E(n) EXPR_NONE
#define CONCRETE(n, why) ((void)0)
#endif

#define NEXT goto *labels[pc->op]
#define STEP    \
	do {    \
		pc++; \
		NEXT; \
	} while (0)

/* d = value; expression when E(a) or E(b) is set. The value may refer to A and B. */
#if SYMBOLIC
#define RESULT2(value, expression)                                       \
	do {                                                             \
		expr e_ = EXPR_NONE;                                     \
		expr ea = x[pc->a], eb = x[pc->b];                       \
		uint64_t v_ = (value);                                   \
		if (__builtin_expect((ea | eb) != 0, 0)) {               \
			t->pc = pc;                                      \
			e_ = (expression);                               \
		}                                                        \
		r[pc->d] = v_;                                           \
		x[pc->d] = e_;                                           \
		STEP;                                                    \
	} while (0)
#define RESULT1(value, expression)                                       \
	do {                                                             \
		expr ea = x[pc->a];                                      \
		uint64_t v_ = (value);                                   \
		r[pc->d] = v_;                                           \
		x[pc->d] = __builtin_expect(ea != 0, 0) ? (expression) : EXPR_NONE; \
		STEP;                                                    \
	} while (0)
#define RESULT(value)                \
	do {                         \
		r[pc->d] = (value);  \
		x[pc->d] = EXPR_NONE;\
		STEP;                \
	} while (0)
#else
#define RESULT2(value, expression)   \
	do {                         \
		r[pc->d] = (value);  \
		STEP;                \
	} while (0)
#define RESULT1(value, expression) RESULT2(value, expression)
#define RESULT(value) RESULT2(value, 0)
#endif

#define A r[pc->a]
#define B r[pc->b]
#define W pc->w
#define OP(name) L_##name:
#define ARITH(name, eop, value) OP(name) RESULT2(value, sym_binary(t, eop, W, A, ea, B, eb));

/* Divisions trap as the machine's do, except where only the guess for a symbolic operand would. */
#if SYMBOLIC
#define DIVIDE(name, eop, value)                                                            \
	OP(name)                                                                            \
	t->pc = pc;                                                                         \
	if (x[pc->a] | x[pc->b])                                                            \
		host_divides(t, eop, W, (struct slot){A, x[pc->a]}, (struct slot){B, x[pc->b]}); \
	if ((x[pc->b] && B == 0) || ((x[pc->a] | x[pc->b]) && sext_from(B, W) == -1))       \
		RESULT2(smt_divide(eop, W, A, B), sym_binary(t, eop, W, A, ea, B, eb));     \
	RESULT2(value, sym_binary(t, eop, W, A, ea, B, eb));
#else
#define DIVIDE(name, eop, value) \
	OP(name)                 \
	t->pc = pc;              \
	RESULT(value);
#endif

/* Branches. */
#if SYMBOLIC
#define BRANCH(value, expression)                                            \
	do {                                                                 \
		bool c_ = (value);                                           \
		expr ea = x[pc->a], eb = x[pc->b];                           \
		t->pc = pc;                                                  \
		t->count += W >> 8;                                          \
		if (__builtin_expect((ea | eb) != 0, 0)) {                   \
			c_ = sym_branch(t, (expression), c_);                \
		} else {                                                     \
			int64_t bit = host_path_bits(t, 1);                  \
			if (__builtin_expect(bit != c_, 0))                  \
				c_ = branch_disagrees(t, bit, c_);           \
		}                                                            \
		pc += c_ ? (int32_t)pc->d : 1;                               \
		NEXT;                                                        \
	} while (0)
#else
#define BRANCH(value, expression)                                            \
	do {                                                                 \
		bool c_ = (value);                                           \
		t->pc = pc;                                                  \
		t->count += W >> 8;                                          \
		int64_t bit = host_path_bits(t, 1);                          \
		if (__builtin_expect(bit != c_, 0))                          \
			c_ = branch_disagrees(t, bit, c_);                   \
		pc += c_ ? (int32_t)pc->d : 1;                               \
		NEXT;                                                        \
	} while (0)
#endif
#define WB (W & 0xff)

/* Memory that is no site. */
#if SYMBOLIC
#define FOUND(e, v)                  \
	do {                         \
		r[pc->d] = (v);      \
		x[pc->d] = (e);      \
		STEP;                \
	} while (0)
#else
#define FOUND(e, v)                                           \
	do {                                                  \
		reg_set(t->frame, pc->d, (struct slot){v, e}); \
		t->pc = pc + 1;                               \
		return RUN_OTHER;                             \
	} while (0)
#endif

#define LOAD(type, where, by)                                                       \
	do {                                                                      \
		uint64_t at_ = (where);                                           \
		type v_;                                                          \
		t->pc = pc;                                                       \
		__builtin_memcpy(&v_, (const void *)at_, sizeof v_);              \
		if (__builtin_expect(symmem_maybe(mem, at_), 0)) {                \
			expr e_ = symmem_get(mem, at_, sizeof v_);                \
			if (e_)                                                   \
				FOUND((by) ? host_led(t, (struct slot){v_, e_}, by) : e_, v_); \
		}                                                                 \
		if (by)                                                           \
			FOUND(host_led(t, (struct slot){v_, EXPR_NONE}, by), v_); \
		RESULT(v_);                                                       \
	} while (0)

#define STORE(type, where)                                                        \
	do {                                                                      \
		uint64_t at_ = (where);                                           \
		type v_ = (type)r[pc->d];                                         \
		t->pc = pc;                                                       \
		if (__builtin_expect(is_told_of(mem, at_), 0))                    \
			host_own_store(t, at_, sizeof v_, (struct slot){v_, E(pc->d)}); \
		__builtin_memcpy((void *)at_, &v_, sizeof v_);                    \
		note_store(t, at_, v_);                                           \
		if (__builtin_expect(E(pc->d) || symmem_maybe(mem, at_), 0))      \
			symmem_set(mem, at_, sizeof v_, E(pc->d));                \
		STEP;                                                             \
	} while (0)

#define OFFSET (A + (uint64_t)(int64_t)(int32_t)pc->b)
#define INDEXED (A + B * W)
#define IN_FRAME ((uint64_t)fm + (int64_t)(int32_t)pc->b)
#define LOADS(suffix, type)                                                               \
	OP(LD##suffix) CONCRETE(pc->a, "address"); LOAD(type, OFFSET, E(pc->a));                    \
	OP(LDX##suffix) CONCRETE(pc->a, "address"); CONCRETE(pc->b, "address"); LOAD(type, INDEXED, (E(pc->a) ? E(pc->a) : E(pc->b))); \
	OP(LDF##suffix) LOAD(type, IN_FRAME, EXPR_NONE);                                             \
	OP(ST##suffix) CONCRETE(pc->a, "address"); STORE(type, OFFSET);                   \
	OP(STX##suffix) CONCRETE(pc->a, "address"); CONCRETE(pc->b, "address"); STORE(type, INDEXED); \
	OP(STF##suffix) STORE(type, IN_FRAME);

/* Floating point. What has no expression (fma, helpers) is concretised. */
#define CONCRETE2 CONCRETE(pc->a, "floating point operand"); CONCRETE(pc->b, "floating point operand")
#define FLOAT(name, suffix, value) OP(name##suffix) RESULT2(value, sym_float(t, EXPR_##name, suffix, A, ea, B, eb));
#define FLOATS(suffix, type, get, put)                                                                   \
	FLOAT(FADD, suffix, put(get(A) + get(B)))                                                        \
	FLOAT(FSUB, suffix, put(get(A) - get(B)))                                                        \
	FLOAT(FMUL, suffix, put(get(A) * get(B)))                                                        \
	FLOAT(FDIV, suffix, put(get(A) / get(B)))                                                        \
	OP(FCMP##suffix) RESULT2(compare_float(get(A), get(B), W), sym_float_compare(t, W, suffix, A, ea, B, eb)); \
	OP(SITOFP##suffix) RESULT1(put((type)sext_from(A, W)), sym_float_unary(t, EXPR_SI_TO_F, W, suffix, ea)); \
	OP(UITOFP##suffix) RESULT1(put((type)A), sym_float_unary(t, EXPR_UI_TO_F, W, suffix, ea));       \
	OP(F##suffix##TOSI)                                                                              \
	RESULT1((uint64_t)to_signed(get(A), W) & mask_of(W), sym_float_unary(t, EXPR_F_TO_SI, suffix, W, ea)); \
	OP(F##suffix##TOUI) RESULT1(to_unsigned(get(A)) & mask_of(W), sym_float_unary(t, EXPR_F_TO_UI, suffix, W, ea));

#define SLOW(name, function)       \
	OP(name)                   \
	t->pc = pc;                \
	pc = function(t, pc);      \
	goto reload;

int LOOP(struct ithread *t)
{
	static const void *const labels[OP_COUNT_] = {
#define X(name, kinds) &&L_##name,
		CODE_OPS(X)
#undef X
	};
	struct symmem *const mem = t->mem;
	const struct ifunction *const functions = t->in->functions;
	const struct insn *pc = t->pc;
	uint64_t *r;
	expr *x;
	char *fm;

reload: /* the running frame may be another one */
	r = t->frame->r;
	x = t->frame->x;
	fm = t->frame->memory;
	(void)x;
	if (t->frame->symbolic != SYMBOLIC) {
		t->pc = pc;
		return RUN_OTHER;
	}
	NEXT;

	OP(NOP) STEP;
	OP(ELSE) STEP;
	OP(SIZE) STEP;
	OP(MOV) RESULT1(A, ea);

	ARITH(ADD32, EXPR_ADD, (uint32_t)(A + B))
	ARITH(ADD64, EXPR_ADD, A + B)
	ARITH(ADDN, EXPR_ADD, (A + B) & mask_of(W))
	ARITH(SUB32, EXPR_SUB, (uint32_t)(A - B))
	ARITH(SUB64, EXPR_SUB, A - B)
	ARITH(SUBN, EXPR_SUB, (A - B) & mask_of(W))
	ARITH(MUL32, EXPR_MUL, (uint32_t)(A * B))
	ARITH(MUL64, EXPR_MUL, A * B)
	ARITH(MULN, EXPR_MUL, (A * B) & mask_of(W))
	DIVIDE(UDIV, EXPR_UDIV, A / B)
	DIVIDE(UREM, EXPR_UREM, A % B)
	DIVIDE(SDIV, EXPR_SDIV, signed_divide(A, B, W))
	DIVIDE(SREM, EXPR_SREM, signed_remainder(A, B, W))
	ARITH(AND, EXPR_AND, A & B)
	ARITH(OR, EXPR_OR, A | B)
	ARITH(XOR, EXPR_XOR, A ^ B)
	/* Too far a shift has no result in C; programs have them (rotations by 0), and see what the processor makes of it. */
	ARITH(SHL32, EXPR_SHL, (uint32_t)(A << (B & 31)))
	ARITH(SHL64, EXPR_SHL, A << (B & 63))
	ARITH(SHLN, EXPR_SHL, (A << shift_of(B, W)) & mask_of(W))
	ARITH(LSHR, EXPR_LSHR, A >> shift_of(B, W))
	ARITH(ASHR32, EXPR_ASHR, (uint32_t)((int32_t)A >> (B & 31)))
	ARITH(ASHR64, EXPR_ASHR, (uint64_t)((int64_t)A >> (B & 63)))
	ARITH(ASHRN, EXPR_ASHR, (uint64_t)(sext_from(A, W) >> shift_of(B, W)) & mask_of(W))

	ARITH(EQ, EXPR_EQ, A == B)
	OP(NE) RESULT2(A != B, sym_not_equal(t, W, A, ea, B, eb));
	ARITH(ULT, EXPR_ULT, A < B)
	ARITH(ULE, EXPR_ULE, A <= B)
	ARITH(SLT32, EXPR_SLT, (int32_t)A < (int32_t)B)
	ARITH(SLT64, EXPR_SLT, (int64_t)A < (int64_t)B)
	ARITH(SLTN, EXPR_SLT, sext_from(A, W) < sext_from(B, W))
	ARITH(SLE32, EXPR_SLE, (int32_t)A <= (int32_t)B)
	ARITH(SLE64, EXPR_SLE, (int64_t)A <= (int64_t)B)
	ARITH(SLEN, EXPR_SLE, sext_from(A, W) <= sext_from(B, W))

	OP(SELECT)
	{
		uint64_t yes = B, no = r[pc[1].d];
#if SYMBOLIC
		expr e = A ? x[pc->b] : x[pc[1].d];
		if (__builtin_expect(x[pc->a] != 0, 0))
			e = sym_select(t, W, x[pc->a], yes, x[pc->b], no, x[pc[1].d]);
		x[pc->d] = e;
#endif
		r[pc->d] = A ? yes : no;
		pc += 2;
		NEXT;
	}
	OP(TRUNC) RESULT1(A & mask_of(W), sym_trunc(t, W, ea));
	OP(SEXT32) RESULT1((uint64_t)(int64_t)(int32_t)A & mask_of(W), sym_sext(t, 32, W, ea));
	OP(SEXT) RESULT1((uint64_t)sext_from(A, pc->b) & mask_of(W), sym_sext(t, pc->b, W, ea));
	OP(EXTR) RESULT1(A >> pc->b & mask_of(W), sym_extract(t, pc->b, W, ea));
	OP(CONCAT) RESULT2(A | B << (W & 0xff), sym_concat(t, W & 0xff, A, ea, W >> 8, B, eb));
	OP(BSWAP) RESULT1(__builtin_bswap64(A) >> (64 - W), sym_bswap(t, W, ea));
	OP(CTPOP) CONCRETE(pc->a, "operand of ctpop"); RESULT((uint64_t)__builtin_popcountll(A));
	OP(CTLZ) CONCRETE(pc->a, "operand of ctlz");
	RESULT(A ? (uint64_t)__builtin_clzll(A) - (64 - W) : W);
	OP(CTTZ) CONCRETE(pc->a, "operand of cttz"); RESULT(A ? (uint64_t)__builtin_ctzll(A) : W);

	OP(ADDI)
	RESULT1(OFFSET, sym_binary(t, EXPR_ADD, 64, A, ea, (uint64_t)(int64_t)(int32_t)pc->b, EXPR_NONE));
	OP(LEA) RESULT2(INDEXED, sym_scaled(t, A, ea, B, eb, 64, W));
	OP(LEA32) RESULT2(A + (uint64_t)((int64_t)(int32_t)B * W), sym_scaled(t, A, ea, B, eb, 32, W));
	OP(ALLOCA) RESULT(IN_FRAME);
	OP(STACKSAVE) RESULT((uint64_t)t->sp);
	OP(STACKRESTORE) t->sp = (char *)A; STEP;
	SLOW(ALLOCAD, slow_allocad)
	SLOW(TLS, slow_tls)

	OP(JMP) /* loops without any branch end only with the process */
	t->count += W;
	if (__builtin_expect(--t->jumps == 0, 0)) {
		t->pc = pc;
		jumped_for_long(t);
	}
	pc += (int32_t)pc->d;
	NEXT;
	OP(BR) BRANCH(A, (eb = EXPR_NONE, ea));
	OP(BR_EQ) BRANCH(A == B, sym_binary(t, EXPR_EQ, WB, A, ea, B, eb));
	OP(BR_NE) BRANCH(A != B, sym_not_equal(t, WB, A, ea, B, eb));
	OP(BR_ULT) BRANCH(A < B, sym_binary(t, EXPR_ULT, WB, A, ea, B, eb));
	OP(BR_ULE) BRANCH(A <= B, sym_binary(t, EXPR_ULE, WB, A, ea, B, eb));
	OP(BR_SLT32) BRANCH((int32_t)A < (int32_t)B, sym_binary(t, EXPR_SLT, WB, A, ea, B, eb));
	OP(BR_SLT64) BRANCH((int64_t)A < (int64_t)B, sym_binary(t, EXPR_SLT, WB, A, ea, B, eb));
	OP(BR_SLTN) BRANCH(sext_from(A, WB) < sext_from(B, WB), sym_binary(t, EXPR_SLT, WB, A, ea, B, eb));
	OP(BR_SLE32) BRANCH((int32_t)A <= (int32_t)B, sym_binary(t, EXPR_SLE, WB, A, ea, B, eb));
	OP(BR_SLE64) BRANCH((int64_t)A <= (int64_t)B, sym_binary(t, EXPR_SLE, WB, A, ea, B, eb));
	OP(BR_SLEN) BRANCH(sext_from(A, WB) <= sext_from(B, WB), sym_binary(t, EXPR_SLE, WB, A, ea, B, eb));
	SLOW(SWITCH, slow_switch)
	OP(GO)
	t->pc = pc;
	t->count += W >> 8;
	if (E(pc->a))
		known_is_symbolic(t, (struct slot){A, E(pc->a)});
	if (__builtin_expect(--t->patience == 0, 0))
		known_for_long(t);
	pc += A ? (int32_t)pc->d : 1;
	NEXT;
	SLOW(GO_SWITCH, slow_go_switch)
	OP(COUNT) t->count += pc->d; STEP;
	OP(ROUNDS) t->pc = pc; host_rounds(t, pc->d); STEP;
	OP(ROUND) t->pc = pc; host_round(t, pc->d); STEP;
	OP(SILENT) t->pc = pc; host_silent(t); STEP;

	OP(CALL)
	{
		const struct ifunction *f = &functions[pc->a];
		const uint32_t *list = t->in->code.pool + pc->b;
		t->pc = pc;
		if (__builtin_expect(!f->code, 0)) {
			slow_call_stub(t, pc);
			goto reload;
		}
		frame_push(t, f, t->sp, pc->d);
		struct frame *to = t->frame;
		uint64_t *nr = to->r;
#if SYMBOLIC
		expr any = EXPR_NONE;
		for (uint32_t i = 0; i < f->nparams; i++) {
			nr[i] = r[list[1 + i]];
			any |= x[list[1 + i]];
		}
		if (any) {
			frame_make_symbolic(to);
			for (uint32_t i = 0; i < f->nparams; i++)
				to->x[i] = x[list[1 + i]];
		}
#else
		for (uint32_t i = 0; i < f->nparams; i++)
			nr[i] = r[list[1 + i]];
#endif
		nr += f->nparams;
		for (uint32_t i = 0; i < f->nconsts; i++)
			nr[i] = f->consts[i];
		pc = f->code;
		goto reload;
	}
	SLOW(CALLV, slow_call_variadic)
	SLOW(CALLN, slow_call_native)
	SLOW(CALLI, slow_call_indirect)

	OP(RET0)
	t->count += W;
	if (t->frame->out)
		return RUN_DONE;
	pc = t->frame->ret + 1;
	frame_pop(t);
	goto reload;
	OP(RET1)
	{
		struct slot s = {A, E(pc->a)};
		struct frame *fr = t->frame;
		t->count += W;
		if (fr->out) {
			fr->out[0] = s;
			return RUN_DONE;
		}
		uint32_t d = fr->ret_d;
		pc = fr->ret + 1;
		frame_pop(t);
		reg_set(t->frame, d, s);
		goto reload;
	}
	OP(RET)
	{
		const uint32_t *list = t->in->code.pool + pc->a;
		struct frame *fr = t->frame;
		t->count += W;
		struct frame *to = fr - 1;
		for (uint32_t i = 0; i < list[0]; i++) {
			struct slot s = {r[list[1 + i]], E(list[1 + i])};
			if (fr->out)
				fr->out[i] = s;
			else
				reg_set(to, fr->ret_d + i, s);
		}
		if (fr->out)
			return RUN_DONE;
		pc = fr->ret + 1;
		frame_pop(t);
		goto reload;
	}
	OP(UNREACHABLE)
	t->pc = pc;
	host_astray(t);
	OP(TRAP)
	t->pc = pc;
	__builtin_trap();
	OP(UNSUPPORTED)
	t->pc = pc;
	host_unsupported(t, t->in->code.strings + pc->d);
	SLOW(LANDINGPAD, slow_landingpad)
	SLOW(RESUME, slow_resume)

	LOADS(8, uint8_t)
	LOADS(16, uint16_t)
	LOADS(32, uint32_t)
	LOADS(64, uint64_t)
	SLOW(LDN, slow_load_n)
	SLOW(STN, slow_store_n)
	SLOW(LDMASK, slow_mask_load)
	SLOW(STMASK, slow_mask_store)

	SLOW(SITE_LD, slow_site_load)
	SLOW(SITE_ST, slow_site_store)
	SLOW(SITE_LDM, slow_site_load_many)
	SLOW(SITE_STM, slow_site_store_many)
	SLOW(ATOMIC, slow_atomic)
	SLOW(CMPXCHG, slow_cmpxchg)
	OP(RECALL) host_recall(t, pc->w); STEP;
	OP(ALLOCATES) host_allocates(t); STEP;
	OP(TOLD) host_told(t, reg_get(t->frame, pc->b), t->frame->r[pc->a]); STEP;
	OP(ALLOCATED) host_allocated(t, pc->w ? *(uint64_t *)reg_get(t->frame, pc->a).v : reg_get(t->frame, pc->a).v, 0); STEP;
	OP(PLACED) host_placed(t, reg_get(t->frame, pc->a).v, reg_get(t->frame, pc->b).v, t->in->code.strings + pc->d); STEP;
	OP(SCOPE) host_scope(t, reg_get(t->frame, pc->a).v, t->frame->r[pc->b], t->in->code.strings + pc->d, pc->w); STEP;
	OP(FENCE) t->pc = pc; host_fence(t, pc->d); STEP;
	OP(PASS) t->pc = pc; host_site(t, pc->d); STEP;
	OP(LINE) host_line(t, pc->d); STEP;
	OP(NUMBER) t->pc = pc; host_number(t, pc->w, reg_get(t->frame, pc->a), reg_get(t->frame, pc->b)); STEP;
	OP(MARK) RESULT(host_mark(t));
	OP(SPLIT) host_split(t, pc->d); STEP;
	OP(JOIN) host_join(t, pc->d); STEP;
	SLOW(CHOSEN, slow_chosen)
	SLOW(AS, slow_as)
	SLOW(COPY, slow_copy)
	SLOW(FILL, slow_fill)
	SLOW(VASTART, slow_vastart)

	FLOATS(32, float, get_float, put_float)
	FLOATS(64, double, get_double, put_double)
	OP(FNEG32) RESULT1(A ^ 0x80000000u, sym_binary(t, EXPR_XOR, 32, A, ea, 0x80000000u, EXPR_NONE));
	OP(FNEG64) RESULT1(A ^ 1ull << 63, sym_binary(t, EXPR_XOR, 64, A, ea, 1ull << 63, EXPR_NONE));
	OP(FABS32) RESULT1(A & 0x7fffffffu, sym_binary(t, EXPR_AND, 32, A, ea, 0x7fffffffu, EXPR_NONE));
	OP(FABS64) RESULT1(A & ~(1ull << 63), sym_binary(t, EXPR_AND, 64, A, ea, ~(1ull << 63), EXPR_NONE));
	OP(FPEXT) RESULT1(put_double((double)get_float(A)), sym_float_unary(t, EXPR_F_TO_F, 32, 64, ea));
	OP(FPTRUNC) RESULT1(put_float((float)get_double(A)), sym_float_unary(t, EXPR_F_TO_F, 64, 32, ea));
	OP(FMA32)
	CONCRETE2;
	CONCRETE(pc[1].d, "floating point operand");
	RESULT(put_float(__builtin_fmaf(get_float(A), get_float(B), get_float(r[pc[1].d]))));
	OP(FMA64)
	CONCRETE2;
	CONCRETE(pc[1].d, "floating point operand");
	RESULT(put_double(__builtin_fma(get_double(A), get_double(B), get_double(r[pc[1].d]))));
	SLOW(HELPER, slow_helper)
}

#undef E
#undef CONCRETE
#undef NEXT
#undef STEP
#undef RESULT2
#undef RESULT1
#undef RESULT
#undef A
#undef B
#undef W
#undef WB
#undef OP
#undef ARITH
#undef DIVIDE
#undef BRANCH
#undef FOUND
#undef LOAD
#undef STORE
#undef OFFSET
#undef INDEXED
#undef IN_FRAME
#undef LOADS
#undef FLOAT
#undef CONCRETE2
#undef FLOATS
#undef SLOW
