'use client'
import type { PromptImage } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { useParams } from 'next/navigation'
import { useKept } from '../../../ui/kept-state'
import { StoredImage } from './stored-image'

/** The images of a prompt, small until they are opened. */
export function SentImages({ images, keep }: { images: readonly PromptImage[]; keep: string }) {
  const { sessionId } = useParams<{ sessionId: string }>()
  return (
    <ul aria-label="Images" className="mb-2 flex flex-wrap gap-2">
      {images.map((image, index) => (
        <SentImage
          key={image.imageId}
          sessionId={sessionId}
          image={image}
          name={`Image ${index + 1} of ${images.length}`}
          keep={`${keep}-image-${index}`}
        />
      ))}
    </ul>
  )
}

interface SentImageProps {
  sessionId: string
  image: PromptImage
  name: string
  keep: string
}

function SentImage({ sessionId, image, name, keep }: SentImageProps) {
  const [open, setOpen] = useKept(keep, false)
  return (
    <li className={clsx(open && 'basis-full')}>
      <button
        type="button"
        aria-expanded={open}
        title={open ? 'Show smaller' : 'Show full size'}
        onClick={() => setOpen(!open)}
        className={clsx(
          'block overflow-hidden rounded-md border border-line bg-surface',
          open ? 'max-w-full cursor-zoom-out' : 'size-24 cursor-zoom-in',
        )}
      >
        <StoredImage
          sessionId={sessionId}
          image={image}
          alt={name}
          className={open ? 'max-h-[70dvh] max-w-full object-contain' : 'size-full object-cover'}
        />
      </button>
    </li>
  )
}
