'use client'
import { isForPage } from '../../ui/keys/keyboard'
import { useKeyDown } from '../../ui/keys/use-key-down'

/** `j` and `k` move through the list of a page. This attribute marks a list item. */
const listItem = 'data-list-item'

export function useListKeys(): void {
  useKeyDown((event) => {
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
    if (step === 0 || event.defaultPrevented || !isForPage(event)) return
    const items = [...document.querySelectorAll<HTMLElement>(`[${listItem}]`)]
    const at = items.findIndex((item) => item.contains(document.activeElement))
    const next = items[at < 0 ? 0 : at + step]
    if (!next) return
    event.preventDefault()
    next.focus()
    next.scrollIntoView({ block: 'nearest' })
  })
}
