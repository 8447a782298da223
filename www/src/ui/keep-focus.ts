/** Focus that is not lost: what is disabled or hidden while it has it hands it on. */

/** Makes a change; where that takes the focus from what had it, the first of `next` that can be focused has it then. */
export function keepFocus(change: () => void, ...next: readonly (HTMLElement | null | undefined)[]): void {
  const before = document.activeElement;
  change();
  if (before instanceof HTMLElement && before !== document.body && !canBeFocused(before)) focusFirst(next);
}

/** Focuses the first that can be. */
export function focusFirst(elements: Iterable<HTMLElement | null | undefined>): void {
  for (const element of elements) {
    if (element === null || element === undefined || !canBeFocused(element)) continue;
    element.focus();
    if (document.activeElement === element) return;
  }
}

function canBeFocused(element: HTMLElement): boolean {
  return (
    !element.matches(':disabled') &&
    element.closest('[inert]') === null &&
    element.getClientRects().length > 0
  );
}
