'use client'
/** An image from the hub, drawn from `blob:` with the type that its first bytes have. */
import { type PromptImage, toCodedError } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useHub } from '../../../live/hub-provider'

interface StoredImageProps {
  sessionId: string
  image: PromptImage
  alt: string
  className?: string
}

export function StoredImage({ sessionId, image, alt, className = 'size-full object-cover' }: StoredImageProps) {
  const hub = useHub()
  const { imageId, mediaType } = image
  const { data, error } = useQuery({
    queryKey: ['image', imageId],
    queryFn: () => hub.rest.image(sessionId, imageId),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const file = useMemo(() => data && new Blob([data], { type: mediaType }), [data, mediaType])
  const url = useBlobUrl(file)
  if (error) return <p className="p-2 text-ink-3 text-xs">{toCodedError(error).message}</p>
  if (!url) return <span className="sr-only">{alt}, loading</span>
  // biome-ignore lint/performance/noImgElement: nothing on the hub may fetch, decode or resize what somebody sent
  return <img src={url} alt={alt} className={className} />
}

/** Valid while the component is mounted. */
export function useBlobUrl(file: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}
