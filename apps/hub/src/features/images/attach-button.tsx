import { Plus } from 'lucide-react'
import type { ImageDraft } from './use-images'

/** Picks images from this device. The hidden file input takes the keyboard focus. */
export function AttachButton({ draft }: { draft: ImageDraft }) {
  return (
    <label
      title="Attach images: PNG, JPEG, WebP, GIF. You can also paste or drop them."
      className="grid size-7 shrink-0 cursor-pointer place-items-center rounded-md text-ink-2 focus-within:outline-2 focus-within:outline-accent hover:bg-sunken hover:text-ink pointer-coarse:size-9"
    >
      <Plus className="size-4" aria-hidden />
      <input
        type="file"
        multiple
        accept="image/png,image/jpeg,image/webp,image/gif"
        aria-label="Attach images"
        className="sr-only"
        onChange={({ target }) => {
          const files = [...(target.files ?? [])]
          draft.setIncoming((before) => [...before, ...files])
          target.value = ''
        }}
      />
    </label>
  )
}
