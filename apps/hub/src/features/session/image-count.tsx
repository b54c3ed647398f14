import type { PromptImage } from '@roundhouse/backend-types'

/** Of a prompt on its way. */
export function ImageCount({ images = [] }: { images?: readonly PromptImage[] | undefined }) {
  if (images.length === 0) return null
  return (
    <span className="shrink-0 text-ink-3 text-xs">{images.length === 1 ? '1 image' : `${images.length} images`}</span>
  )
}
