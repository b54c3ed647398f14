/** Pastes or drops a file on an element with the browser's own events. */
import type { Locator } from '@playwright/test'

export async function giveFile(on: Locator, how: 'paste' | 'drop', base64: string, name: string): Promise<void> {
  await on.evaluate(
    (element, { how, base64, name }) => {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
      const data = new DataTransfer()
      data.items.add(new File([bytes], name, { type: 'image/png' }))
      const init = { bubbles: true, cancelable: true }
      const event =
        how === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent('drop', { ...init, dataTransfer: data })
      element.dispatchEvent(event)
    },
    { how, base64, name },
  )
}
