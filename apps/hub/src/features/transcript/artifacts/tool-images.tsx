'use client'
import { useMemo } from 'react'
import type { FoundImage } from './images-in'
import { useBlobUrl } from './stored-image'

export function ToolImages({ images }: { images: readonly FoundImage[] }) {
  return (
    <ul aria-label="Images" className="flex flex-wrap gap-2">
      {images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change their places
        <ToolImage key={index} image={image} name={`Image ${index + 1} of ${images.length}`} />
      ))}
    </ul>
  )
}

function ToolImage({ image, name }: { image: FoundImage; name: string }) {
  const file = useMemo(() => new Blob([image.bytes], { type: image.type }), [image])
  const url = useBlobUrl(file)
  return (
    <li className="overflow-hidden rounded-md border border-line bg-surface">
      {/* biome-ignore lint/performance/noImgElement: it is in this page alone */}
      {url ? <img src={url} alt={name} className="max-h-80 max-w-full object-contain" /> : null}
    </li>
  )
}
