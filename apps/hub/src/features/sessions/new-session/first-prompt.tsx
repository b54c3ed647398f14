'use client'
import { useEffect, useId } from 'react'
import { late } from '../../../ui/overlays/late'
import { AttachButton } from '../../images/attach-button'
import type { FirstPromptDraft } from './use-first-prompt'

const ImageStrip = late(() => import('../../images/image-strip').then((module) => module.ImageStrip))

interface FirstPromptProps {
  draft: FirstPromptDraft
  takesImages: boolean
  isUploading: boolean
}

/** The text of the first prompt, and its images, which stay in this page until the session starts. */
export function FirstPrompt({ draft, takesImages, isUploading }: FirstPromptProps) {
  const id = useId()
  const { text, setText, images, box, hasFocused } = draft
  // The dialog may have opened before the machines were known. On touch devices a keyboard would cover half of it.
  useEffect(() => {
    if (!hasFocused.current && !matchMedia('(pointer: coarse)').matches) box.current?.focus()
    hasFocused.current = true
  }, [box, hasFocused])
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium text-ink-2 text-sm">
        First prompt
      </label>
      <div className="rounded-md border border-line-strong bg-surface focus-within:outline-2 focus-within:outline-accent">
        {images.isShown ? (
          <div className="-mx-1">
            <ImageStrip draft={images} isUploading={isUploading} />
          </div>
        ) : null}
        <textarea
          id={id}
          ref={box}
          rows={4}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            box.current?.form?.requestSubmit()
          }}
          placeholder="What should it do?"
          className="block w-full resize-y bg-transparent px-2.5 py-2 text-base outline-none placeholder:text-ink-3"
        />
        {takesImages ? (
          <div className="flex px-1.5 pb-1.5">
            <AttachButton draft={images} />
          </div>
        ) : null}
      </div>
    </div>
  )
}
