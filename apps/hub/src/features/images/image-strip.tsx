'use client'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useHub } from '../../live/hub-provider'
import { StoredImage, useBlobUrl } from '../transcript/artifacts/stored-image'
import { attachImages } from './attach-images'
import type { AttachedImage, ImageDraft } from './use-images'

interface ImageStripProps {
  /** The session of the images. Absent until the session is created; the images stay on this page until then. */
  sessionId?: string
  draft: ImageDraft
  isUploading: boolean
  /** Images alone do not make a prompt here, and there is no text yet. */
  needsText?: boolean
}

/** The images of the next prompt, and why others were not attached. */
export function ImageStrip({ sessionId, draft, isUploading, needsText = false }: ImageStripProps) {
  useAttaching(sessionId, draft)
  const { list, setList, problems, setProblems } = draft
  return (
    <div className="space-y-1.5 px-3.5 pt-2.5">
      {list.length > 0 ? (
        <>
          <ul aria-label="Attached images" className="flex flex-wrap gap-2">
            {list.map((one) => (
              <Attached
                key={one.key}
                sessionId={sessionId}
                attached={one}
                isUploading={isUploading && one.image === null}
                onRemove={() => setList((before) => before.filter(({ key }) => key !== one.key))}
              />
            ))}
          </ul>
          <p className="text-ink-3 text-xs">
            Images are sent as they are. Secrets in them are not removed.
            {needsText ? ' This machine takes images only with a text.' : ''}
          </p>
        </>
      ) : null}
      {problems.length > 0 ? (
        <div role="alert" className="flex items-start gap-2 text-failed text-xs">
          <ul className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            {[...new Set(problems)].map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
          <button type="button" aria-label="Dismiss" className="shrink-0 rounded p-0.5" onClick={() => setProblems([])}>
            <X className="size-3.5" aria-hidden />
          </button>
        </div>
      ) : null}
    </div>
  )
}

/** Processes the incoming files in order. */
function useAttaching(sessionId: string | undefined, draft: ImageDraft): void {
  const hub = useHub()
  const count = useRef(0)
  count.current = draft.list.length
  const before = useRef(Promise.resolve())
  const taken = useRef(new WeakSet<File>())
  const { incoming, setIncoming, setList, setProblems } = draft
  useEffect(() => {
    const files = incoming.filter((file) => !taken.current.has(file))
    if (files.length === 0) return
    for (const file of files) taken.current.add(file)
    const work = () =>
      attachImages(files, {
        setList,
        setProblems,
        count: () => count.current,
        upload: async (bytes) => (sessionId === undefined ? null : hub.rest.uploadImage(sessionId, bytes)),
        newKey: () => crypto.randomUUID(),
        done: (file) => setIncoming((now) => now.filter((one) => one !== file)),
      })
    before.current = before.current.then(work)
  }, [incoming, setIncoming, setList, setProblems, hub, sessionId])
}

interface AttachedProps {
  sessionId: string | undefined
  attached: AttachedImage
  isUploading: boolean
  onRemove: () => void
}

function Attached({ sessionId, attached, isUploading, onRemove }: AttachedProps) {
  const { name, file, image, storedIn: of = sessionId } = attached
  const url = useBlobUrl(file)
  return (
    <li className="relative" data-testid="attached-image" data-state={isUploading ? 'uploading' : 'ready'}>
      <div className="grid size-16 place-items-center overflow-hidden rounded-md border border-line bg-sunken">
        {/* biome-ignore lint/performance/noImgElement: it is in this page alone */}
        {url ? <img src={url} alt={name} className="size-full object-cover" /> : null}
        {!file && image && of ? <StoredImage sessionId={of} image={image} alt={name} /> : null}
      </div>
      {isUploading ? (
        <p
          role="status"
          className="absolute inset-x-0 bottom-0 rounded-b-md bg-surface/85 text-center text-[0.6875rem] text-ink-2"
        >
          Uploading
        </p>
      ) : null}
      <button
        type="button"
        aria-label={`Remove ${name}`}
        title="Remove"
        onClick={onRemove}
        className="-top-1.5 -right-1.5 absolute grid size-5 place-items-center rounded-full border border-line-strong bg-surface text-ink-2 hover:text-ink pointer-coarse:size-6"
      >
        <X className="size-3" aria-hidden />
      </button>
    </li>
  )
}
