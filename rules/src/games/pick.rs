//! Some of many, any of them: what chance picks comes from the caller.

/// Gives a number below the one that it is asked with.
pub(super) type Pick<'a> = &'a mut dyn FnMut(usize) -> usize;

/// Brings some of the items to the front, any of them in any order.
pub(super) fn draw<T>(items: &mut [T], count: usize, pick: Pick<'_>) {
    for index in 0..count.min(items.len()) {
        items.swap(index, index + pick(items.len() - index));
    }
}

/// At most so many of the items: all in their order, where they fit.
pub(super) fn some<T>(mut items: Vec<T>, max: usize, pick: Pick<'_>) -> Vec<T> {
    if items.len() > max {
        draw(&mut items, max, pick);
        items.truncate(max);
    }
    items
}
