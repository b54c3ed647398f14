'use client'
import type { FormOption } from '@roundhouse/backend-types'
import { PlainText } from '../../../ui/text/plain-text'

export interface OptionPreviewProps {
  label: string
  preview: FormOption['preview']
}

/** A preview of an option in a monospaced box that scrolls both ways. */
export function OptionPreview({ label, preview }: OptionPreviewProps) {
  const { text, omitted = 0 } = preview ?? { text: '' }
  const name = preview ? `Preview of ${label}` : `No preview of ${label}`
  return (
    // The height is fixed: an option that moves during a press would miss it.
    <div className="flex h-56 min-w-0 flex-col">
      <p className="shrink-0 truncate text-ink-3 text-xs">
        <PlainText>{name}</PlainText>
      </p>
      {text === '' ? null : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
        <pre
          role="group"
          aria-label={name}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="mt-1 min-h-0 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5"
        >
          <PlainText>{text}</PlainText>
        </pre>
      )}
      {omitted > 0 ? (
        <p className="mt-1 shrink-0 text-ink-3 text-xs">{`${omitted.toLocaleString()} characters more are not shown.`}</p>
      ) : null}
    </div>
  )
}
