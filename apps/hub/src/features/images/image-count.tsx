/** The number of images of a prompt in flight. */
export function ImageCount({ count = 0 }: { count?: number | undefined }) {
  if (count === 0) return null
  return <span className="shrink-0 text-ink-3 text-xs">{count === 1 ? '1 image' : `${count} images`}</span>
}
