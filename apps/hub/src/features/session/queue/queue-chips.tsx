'use client'
import { type CommandView, type PromptImage, type SessionView, toCodedError } from '@roundhouse/backend-types'
import { wholeText } from '@roundhouse/hub-client'
import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { CircleAlert, Clock, X } from 'lucide-react'
import { useHub } from '../../../live/hub-provider'
import { Button } from '../../../ui/forms/button'
import { ErrorNotice } from '../../../ui/forms/notice'
import { PlainText } from '../../../ui/text/plain-text'
import { ImageCount } from '../../images/image-count'
import type { CommandWords } from '../prompt/command-words'
import { QueuedPrompt } from './queued-prompt'
import { shownCommands } from './shown-commands'

interface QueueChipsProps {
  view: SessionView
  /** A prompt that the hub has not confirmed yet. */
  sending: { text: string; images?: readonly string[] | undefined } | null
  /** Puts a failed prompt back into the composer. */
  onPutBack: (text: string, images: readonly PromptImage[]) => void
}

/** Prompts that are being sent or are waiting: sending, sent, queued. None appears as delivered before it is. */
export function QueueChips({ view, sending, onPutBack }: QueueChipsProps) {
  const hub = useHub()
  const release = useMutation({ mutationFn: () => hub.rest.queue(view.sessionId, { op: 'release' }) })
  const commands = shownCommands(view)
  if (view.queue.length === 0 && commands.length === 0 && sending === null) return null
  return (
    <ul aria-label="Queue" className="mb-2 max-h-[30dvh] space-y-1 overflow-y-auto">
      {commands.map(({ command, words }) => (
        <CommandChip
          key={command.commandId}
          sessionId={view.sessionId}
          command={command}
          words={words}
          onPutBack={onPutBack}
        />
      ))}
      {sending === null ? null : (
        <li className="flex items-center gap-2 rounded-md bg-sunken px-2.5 py-1 text-sm">
          <Clock className="size-3.5 shrink-0 text-ink-3" aria-hidden />
          <span className="min-w-0 flex-1 truncate">
            <PlainText>{sending.text}</PlainText>
          </span>
          <ImageCount count={sending.images?.length} />
          <span className="shrink-0 text-ink-3 text-xs">sending</span>
        </li>
      )}
      {view.queue.map((entry, index) => (
        <QueuedPrompt
          key={entry.promptId}
          sessionId={view.sessionId}
          machine={view.agentName}
          entry={entry}
          index={index}
          count={view.queue.length}
        />
      ))}
      {view.queueHeld && view.queue.length > 0 ? (
        <li className="flex flex-wrap items-center gap-x-2 gap-y-1 text-needs text-xs">
          Queue paused: the last turn did not finish.
          <Button size="sm" disabled={release.isPending} onClick={() => release.mutate()}>
            Run queue
          </Button>
        </li>
      ) : null}
    </ul>
  )
}

interface CommandChipProps {
  sessionId: string
  command: CommandView
  words: CommandWords
  onPutBack: (text: string, images: readonly PromptImage[]) => void
}

function CommandChip({ sessionId, command, words, onPutBack }: CommandChipProps) {
  const hub = useHub()
  const dismiss = useMutation({ mutationFn: () => hub.rest.dismissCommand(sessionId, command.commandId) })
  const { text } = command
  const resend = useMutation({
    mutationFn: () => wholeText(hub.rest, sessionId, command),
    onSuccess: (whole) => {
      onPutBack(whole, command.images ?? [])
      dismiss.mutate()
    },
  })
  return (
    <li
      className={clsx(
        'flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md px-2.5 py-1 text-sm',
        words.failed ? 'bg-failed-soft' : 'bg-sunken',
      )}
      data-testid="command-in-flight"
      data-state={command.state}
    >
      {words.failed ? (
        <CircleAlert className="size-3.5 shrink-0 text-failed" aria-hidden />
      ) : (
        <Clock className="size-3.5 shrink-0 text-ink-3" aria-hidden />
      )}
      <ImageCount count={command.images?.length} />
      <span className="min-w-0 flex-1 truncate">{text === undefined ? words.name : <PlainText>{text}</PlainText>}</span>
      <span
        className={clsx(
          'text-xs',
          words.failed || command.waits ? 'basis-full sm:basis-auto' : '',
          words.failed ? 'text-failed' : 'text-ink-3',
        )}
      >
        {words.state}
      </span>
      {words.failed && text !== undefined ? (
        <Button size="sm" disabled={resend.isPending} onClick={() => resend.mutate()}>
          Edit and resend
        </Button>
      ) : null}
      {words.failed ? (
        <button
          type="button"
          aria-label="Dismiss"
          className="rounded p-0.5 text-ink-3 hover:text-ink"
          onClick={() => dismiss.mutate()}
        >
          <X className="size-3.5" aria-hidden />
        </button>
      ) : null}
      {resend.error ? <ErrorNotice error={toCodedError(resend.error).toBody()} /> : null}
    </li>
  )
}
