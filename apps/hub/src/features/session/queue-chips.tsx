'use client'
import type { CommandView, QueueEntry, SessionView } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { Clock, X } from 'lucide-react'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/button'
import { PlainText } from '../../ui/plain-text'

const stateWords: Partial<Record<CommandView['state'], string>> = {
  pending: 'waiting for the machine',
  sent: 'sent',
  expired: 'expired: the machine did not take it in time',
  refused: 'refused',
  outcome_unknown: 'the outcome is unknown',
  cancelled: 'cancelled',
}

/** Prompts on their way or waiting their turn: queued, sent, accepted; never shown as delivered before it is true. */
export function QueueChips({ view }: { view: SessionView }) {
  const hub = useHub()
  const release = useMutation({ mutationFn: () => hub.rest.queue(view.sessionId, { op: 'release' }) })
  const queued = new Set(view.queue.map((entry) => entry.promptId))
  const inFlight = view.commands.filter((c) => stateWords[c.state] && !(c.promptId && queued.has(c.promptId)))
  if (view.queue.length === 0 && inFlight.length === 0) return null
  return (
    <ul aria-label="Queue" className="mb-2 space-y-1">
      {inFlight.map((command) => (
        <li
          key={command.commandId}
          className="flex items-center gap-2 rounded-md bg-sunken px-2.5 py-1 text-sm"
          data-testid="command-in-flight"
          data-state={command.state}
        >
          <Clock className="size-3.5 shrink-0 text-ink-3" aria-hidden />
          <span className="min-w-0 truncate">
            <PlainText>{command.text ?? command.kind}</PlainText>
          </span>
          <span className="ml-auto shrink-0 text-ink-3 text-xs">
            {command.error?.message ?? stateWords[command.state]}
          </span>
        </li>
      ))}
      {view.queue.map((entry) => (
        <Chip key={entry.promptId} sessionId={view.sessionId} entry={entry} />
      ))}
      {view.queueHeld && view.queue.length > 0 ? (
        <li className="flex items-center gap-2 text-needs text-xs">
          The queue waits, because the last turn did not finish.
          <Button size="sm" onClick={() => release.mutate()}>
            Go on
          </Button>
        </li>
      ) : null}
    </ul>
  )
}

function Chip({ sessionId, entry }: { sessionId: string; entry: QueueEntry }) {
  const hub = useHub()
  const [text, setText] = useState<string | null>(null)
  const at = { promptId: entry.promptId, rev: entry.rev }
  const remove = useMutation({ mutationFn: () => hub.rest.queue(sessionId, { op: 'remove', ...at }) })
  const edit = useMutation({
    mutationFn: (next: string) => hub.rest.queue(sessionId, { op: 'edit', ...at, text: next }),
  })
  return (
    <li data-testid="queued-prompt" className="flex items-center gap-2 rounded-md bg-sunken px-2.5 py-1 text-sm">
      {text === null ? (
        <button
          type="button"
          className="min-w-0 flex-1 truncate text-left"
          title="Edit"
          onClick={() => setText(entry.text)}
        >
          <PlainText>{entry.text}</PlainText>
        </button>
      ) : (
        <form
          className="flex flex-1 gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            if (text.trim() !== '' && text !== entry.text) edit.mutate(text)
            setText(null)
          }}
        >
          <input
            // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
            autoFocus
            aria-label="Queued prompt"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="h-7 min-w-0 flex-1 rounded border border-line-strong bg-surface px-2"
          />
          <Button size="sm" type="submit">
            Save
          </Button>
        </form>
      )}
      <span className="shrink-0 text-ink-3 text-xs">queued</span>
      <button
        type="button"
        aria-label="Remove from the queue"
        className="rounded p-0.5 text-ink-3 hover:text-ink"
        onClick={() => remove.mutate()}
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </li>
  )
}
