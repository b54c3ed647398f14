'use client'
import { type QueuedPrompt as Queued, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { ArrowUp, Pencil, X } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { useHub } from '../../../live/hub-provider'
import { Button } from '../../../ui/forms/button'
import { PlainText } from '../../../ui/text/plain-text'
import { ImageCount } from '../../images/image-count'
import { placesTaken } from '../../sessions/places-taken'
import { useGrow } from '../prompt/use-grow'

interface QueuedPromptProps {
  sessionId: string
  /** The name of the machine on which it waits. */
  machine: string
  entry: Queued
  index: number
  count: number
}

/** A queued prompt, which a person can edit, move or remove. */
export function QueuedPrompt({ sessionId, machine, entry, index, count }: QueuedPromptProps) {
  const hub = useHub()
  const [text, setText] = useState<string | null>(null)
  const at = { promptId: entry.promptId, rev: entry.rev }
  const change = useMutation({
    mutationFn: (body: Parameters<typeof hub.rest.queue>[1]) => hub.rest.queue(sessionId, body),
  })
  if (text !== null) {
    return (
      <EditQueued
        text={text}
        onText={setText}
        onClose={() => setText(null)}
        onSave={(next) => {
          if (next.trim() !== '' && next !== entry.text) change.mutate({ op: 'edit', ...at, text: next })
          setText(null)
        }}
      />
    )
  }
  return (
    <li
      data-testid="queued-prompt"
      className="flex flex-wrap items-center gap-x-1 rounded-md bg-sunken px-2.5 py-1 text-sm"
    >
      <span className="mr-1 w-4 shrink-0 text-ink-3 text-xs tabular-nums">{index + 1}</span>
      {entry.cut ? (
        <span className="min-w-0 flex-1 truncate" title="Too long to edit here. All of it will run.">
          <PlainText>{entry.text}</PlainText>
        </span>
      ) : (
        <button
          type="button"
          className="min-w-0 flex-1 truncate text-left"
          title="Edit"
          onClick={() => setText(entry.text)}
        >
          {entry.text ? <PlainText>{entry.text}</PlainText> : <span className="text-ink-3">No text</span>}
        </button>
      )}
      <ImageCount count={entry.images?.length} />
      {entry.waits ? null : <span className="mx-1 shrink-0 text-ink-3 text-xs">queued</span>}
      {count > 1 && index > 0 ? (
        <Small label="Move up" onClick={() => change.mutate({ op: 'move', ...at, toIndex: index - 1 })}>
          <ArrowUp className="size-3.5" aria-hidden />
        </Small>
      ) : null}
      {entry.cut ? null : (
        <Small label="Edit" onClick={() => setText(entry.text)}>
          <Pencil className="size-3.5" aria-hidden />
        </Small>
      )}
      <Small label="Remove from the queue" onClick={() => change.mutate({ op: 'remove', ...at })}>
        <X className="size-3.5" aria-hidden />
      </Small>
      {entry.waits ? (
        <span className="basis-full pl-5 text-ink-3 text-xs">{placesTaken(entry.waits, machine)}</span>
      ) : null}
      {change.error ? (
        <span role="alert" className="basis-full text-failed text-xs">
          {toCodedError(change.error).message}
        </span>
      ) : null}
    </li>
  )
}

interface EditQueuedProps {
  text: string
  onText: (text: string) => void
  onSave: (text: string) => void
  onClose: () => void
}

function EditQueued({ text, onText, onSave, onClose }: EditQueuedProps) {
  const box = useRef<HTMLTextAreaElement>(null)
  useGrow(box, text)
  return (
    <li className="rounded-md bg-sunken p-2">
      <textarea
        ref={box}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        aria-label="Queued prompt"
        rows={1}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) onSave(text)
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
        className="block max-h-40 w-full resize-none rounded border border-line-strong bg-surface px-2 py-1 text-sm"
      />
      <div className="mt-1.5 flex justify-end gap-1.5">
        <Button size="sm" look="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button size="sm" onClick={() => onSave(text)}>
          Save
        </Button>
      </div>
    </li>
  )
}

function Small({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className="shrink-0 rounded p-1 text-ink-3 hover:bg-line hover:text-ink"
      onClick={onClick}
    >
      {children}
    </button>
  )
}
