/** Decides who gets a key: the page's own shortcuts act only if no text field has the focus and nothing covers the page. */

const overlays = '[role=dialog], [role=alertdialog], [role=menu]'

/** A shortcut of the page may act on this. Ctrl and Cmd belong to the browser, or to a shortcut that asks for them. */
export function isForPage(event: KeyboardEvent): boolean {
  const modified = event.metaKey || event.ctrlKey || event.altKey
  return !modified && !isTyping(event.target) && document.querySelector(overlays) === null
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
