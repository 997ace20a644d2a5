/*
 * What libstdc++ does to std::map, std::set, std::list and the unordered containers in functions of its own, which inference and replay see
 * nothing of. Programs get these here instead, as bitcode like their own code (src/cc/link.c), so that every access is a
 * SAP: containers that threads share without a lock, or with locks whose order was not recorded, are inferred like any
 * other structure. Weak: a program that brings its own keeps them. In C, under the names that C++ gives them.
 *
 * Red-black trees as in Cormen, Leiserson, Rivest and Stein, chapter 13, with the library's header node: its parent is the root,
 * its left and right the first and the last node.
 */
#include <stdbool.h>
#include <stddef.h>

#define WEAK __attribute__((weak, nothrow))

/* As libstdc++ lays them out; part of its ABI. */
enum color { RED, BLACK };
typedef struct node {
	enum color color;
	struct node *parent, *left, *right;
} node;
struct link {
	struct link *next, *prev;
};

/* std::_Rb_tree_increment and decrement, each for constant nodes too; insert_and_rebalance, rebalance_for_erase. */
node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(node *x);
const node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(const node *x);
node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(node *x);
const node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(const node *x);
void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(bool left, node *x, node *above, node *header);
node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(node *z, node *header);
/* std::__detail::_List_node_base::_M_hook, unhook, transfer, reverse. */
void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct link *self, struct link *at);
void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct link *self);
void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct link *self, struct link *first, struct link *last);
void _ZNSt8__detail15_List_node_base10_M_reverseEv(struct link *self);

/* std::__detail::_Prime_rehash_policy: when an unordered container grows. _M_need_rehash, and the library's own _M_next_bkt. */
struct policy {
	float max_load;
	size_t next_resize;
};
struct growth {
	bool grows;
	size_t buckets;
};
struct growth _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(struct policy *self, size_t buckets, size_t elements, size_t more);
size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(struct policy *self, size_t least);

static node *first_of(node *x)
{
	while (x->left)
		x = x->left;
	return x;
}

static node *last_of(node *x)
{
	while (x->right)
		x = x->right;
	return x;
}

/* ---- iteration ---- */

static node *next_of(node *x)
{
	if (x->right)
		return first_of(x->right);
	node *above = x->parent;
	while (x == above->right) {
		x = above;
		above = above->parent;
	}
	/* The root without a right child is the header's neighbour on both sides. */
	return x->right != above ? above : x;
}

static node *previous_of(node *x)
{
	if (x->color == RED && x->parent->parent == x)
		return x->right; /* the header */
	if (x->left)
		return last_of(x->left);
	node *above = x->parent;
	while (x == above->left) {
		x = above;
		above = above->parent;
	}
	return above;
}

WEAK node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(node *x)
{
	return next_of(x);
}

WEAK const node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(const node *x)
{
	return next_of((node *)x);
}

WEAK node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(node *x)
{
	return previous_of(x);
}

WEAK const node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(const node *x)
{
	return previous_of((node *)x);
}

/* ---- balance ---- */

/* What hung at `old` hangs at `fresh` now, as far as those above are concerned. */
static void replace_below(node *old, node *fresh, node **root)
{
	if (old == *root)
		*root = fresh;
	else if (old == old->parent->left)
		old->parent->left = fresh;
	else
		old->parent->right = fresh;
}

static void rotate_left(node *x, node **root)
{
	node *y = x->right;
	x->right = y->left;
	if (y->left)
		y->left->parent = x;
	y->parent = x->parent;
	replace_below(x, y, root);
	y->left = x;
	x->parent = y;
}

static void rotate_right(node *x, node **root)
{
	node *y = x->left;
	x->left = y->right;
	if (y->right)
		y->right->parent = x;
	y->parent = x->parent;
	replace_below(x, y, root);
	y->right = x;
	x->parent = y;
}

static void rotate(bool to_left, node *x, node **root)
{
	if (to_left)
		rotate_left(x, root);
	else
		rotate_right(x, root);
}

static bool is_black(const node *x)
{
	return !x || x->color == BLACK;
}

static void hang(bool left, node *x, node *above, node *header)
{
	x->parent = above;
	x->left = x->right = NULL;
	x->color = RED;
	if (left) {
		above->left = x; /* of the header: the first node */
		if (above == header) {
			header->parent = x;
			header->right = x;
		} else if (above == header->left) {
			header->left = x;
		}
	} else {
		above->right = x;
		if (above == header->right)
			header->right = x;
	}
}

WEAK void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(bool left, node *x, node *above, node *header)
{
	node **root = &header->parent;
	hang(left, x, above, header);
	while (x != *root && x->parent->color == RED) {
		node *grand = x->parent->parent;
		bool on_left = x->parent == grand->left;
		node *uncle = on_left ? grand->right : grand->left;
		if (!is_black(uncle)) {
			x->parent->color = BLACK;
			uncle->color = BLACK;
			grand->color = RED;
			x = grand;
			continue;
		}
		if (x == (on_left ? x->parent->right : x->parent->left)) {
			x = x->parent;
			rotate(on_left, x, root);
		}
		x->parent->color = BLACK;
		grand->color = RED;
		rotate(!on_left, grand, root);
	}
	(*root)->color = BLACK;
}

/* The sibling's child on the far side becomes red, so that one rotation is left to do; returns who the sibling is then. */
static node *turn_sibling(bool on_left, node *sibling, node *above, node **root)
{
	node *near = on_left ? sibling->left : sibling->right, *far = on_left ? sibling->right : sibling->left;
	if (is_black(far)) {
		near->color = BLACK;
		sibling->color = RED;
		rotate(!on_left, sibling, root);
		sibling = on_left ? above->right : above->left;
		far = on_left ? sibling->right : sibling->left;
	}
	far->color = BLACK;
	return sibling;
}

/* Below `above` there is one black node less than elsewhere, on the side where x is, which may be null. */
static void balance_after_erase(node *x, node *above, node **root)
{
	while (x != *root && is_black(x)) {
		bool on_left = x == above->left;
		node *sibling = on_left ? above->right : above->left;
		if (sibling->color == RED) {
			sibling->color = BLACK;
			above->color = RED;
			rotate(on_left, above, root);
			sibling = on_left ? above->right : above->left;
		}
		if (is_black(sibling->left) && is_black(sibling->right)) {
			sibling->color = RED;
			x = above;
			above = above->parent;
			continue;
		}
		sibling = turn_sibling(on_left, sibling, above, root);
		sibling->color = above->color;
		above->color = BLACK;
		rotate(on_left, above, root);
		break;
	}
	if (x)
		x->color = BLACK;
}

/* y, the next node after z and without a left child, takes the place of z; returns what hangs where y was. */
static node *take_place(node *y, node *z, node **above, node **root)
{
	node *x = y->right;
	enum color color = y->color;
	*above = y;
	z->left->parent = y;
	y->left = z->left;
	if (y != z->right) {
		*above = y->parent;
		if (x)
			x->parent = *above;
		(*above)->left = x;
		y->right = z->right;
		z->right->parent = y;
	}
	replace_below(z, y, root);
	y->parent = z->parent;
	y->color = z->color;
	z->color = color;
	return x;
}

/* z has one child or none, which takes its place; returns it. */
static node *unhang(node *z, node **above, node *header)
{
	node *x = z->left ? z->left : z->right;
	*above = z->parent;
	if (x)
		x->parent = *above;
	replace_below(z, x, &header->parent);
	if (header->left == z)
		header->left = z->right ? first_of(x) : *above;
	if (header->right == z)
		header->right = z->left ? last_of(x) : *above;
	return x;
}

WEAK node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(node *z, node *header)
{
	node **root = &header->parent, *above;
	node *x = z->left && z->right ? take_place(first_of(z->right), z, &above, root) : unhang(z, &above, header);
	if (z->color != RED)
		balance_after_erase(x, above, root);
	return z;
}

/* ---- lists ---- */

WEAK void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct link *self, struct link *at)
{
	self->next = at;
	self->prev = at->prev;
	at->prev->next = self;
	at->prev = self;
}

WEAK void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct link *self)
{
	struct link *after = self->next, *before = self->prev;
	before->next = after;
	after->prev = before;
}

/* [first, last) comes before self. */
WEAK void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct link *self, struct link *first, struct link *last)
{
	if (self == last)
		return;
	struct link *before = self->prev;
	last->prev->next = self;
	first->prev->next = last;
	before->next = first;
	self->prev = last->prev;
	last->prev = first->prev;
	first->prev = before;
}

WEAK void _ZNSt8__detail15_List_node_base10_M_reverseEv(struct link *self)
{
	struct link *at = self;
	do {
		struct link *after = at->next;
		at->next = at->prev;
		at->prev = after;
		at = after;
	} while (at != self);
}

/* ---- unordered containers ---- */

WEAK struct growth _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(struct policy *self, size_t buckets, size_t elements,
									     size_t more)
{
	size_t needed = elements + more, limit = self->next_resize, first = 11;
	if (needed <= limit)
		return (struct growth){false, 0};
	double load = self->max_load, least = (double)(!limit && needed < first ? first : needed) / load;
	if (least >= (double)buckets) {
		/* Of a copy: what the library writes to is nothing that others see. */
		struct policy own = {self->max_load, limit};
		size_t wanted = (size_t)least + 1 > 2 * buckets ? (size_t)least + 1 : 2 * buckets;
		size_t chosen = _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(&own, wanted);
		self->next_resize = own.next_resize;
		return (struct growth){true, chosen};
	}
	self->next_resize = (size_t)((double)buckets * load);
	return (struct growth){false, 0};
}
