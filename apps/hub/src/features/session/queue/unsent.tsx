'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useHub } from '../../../live/hub-provider'
import { Button } from '../../../ui/forms/button'
import { CopyButton } from '../../../ui/forms/copy-button'
import { ErrorNotice } from '../../../ui/forms/notice'
import { PlainText } from '../../../ui/text/plain-text'
import { ImageCount } from '../../images/image-count'
import type { AttachedImage } from '../../images/use-images'
import { type LikeSession, storedImages } from '../../sessions/new-session/like-session'
import { NewSessionButton } from '../../sessions/new-session/new-session'
import { commandWords } from '../prompt/command-words'
import { useWholeText } from './use-whole-text'

interface UnsentProps {
  view: SessionView
  /** The content of the composer. */
  draft: { text: string; images: readonly AttachedImage[] }
  onDiscard: () => void
}

/** Text that was written for an ended session and never ran. */
export function Unsent({ view, draft, onDiscard }: UnsentProps) {
  const hub = useHub()
  const { sessionId, agentId, settings } = view
  const dismiss = useMutation({ mutationFn: (commandId: string) => hub.rest.dismissCommand(sessionId, commandId) })
  const here = draft.images.map((one) => ({ storedIn: sessionId, ...one }))
  const like = { agentId, settings }
  return (
    <>
      {failedPrompts(view).map((command) => (
        <FailedPrompt
          key={command.commandId}
          sessionId={sessionId}
          command={command}
          like={{ ...like, images: storedImages(command.images ?? [], sessionId) }}
          onDiscard={() => dismiss.mutate(command.commandId)}
        />
      ))}
      {draft.text.trim() === '' && here.length === 0 ? null : (
        <UnsentPrompt like={{ ...like, prompt: draft.text, images: here }} onDiscard={onDiscard} />
      )}
    </>
  )
}

/** If nothing of the session ever ran, its notice offers the first prompt. */
function failedPrompts({ commands, queue, agentName, head }: SessionView) {
  return commands.flatMap(({ text: sent, ...command }) => {
    const queued = queue.find(({ commandId, cut }) => commandId === command.commandId && !cut)
    const text = queued?.text ?? sent
    const failed = head > 0 && commandWords(command, agentName)?.failed
    if (!failed || text === undefined) return []
    return [queued ? { ...command, text, textLength: undefined } : { ...command, text }]
  })
}

type Like = LikeSession & { images: readonly AttachedImage[] }

interface FailedPromptProps {
  sessionId: string
  command: ReturnType<typeof failedPrompts>[number]
  like: Like
  onDiscard: () => void
}

/** Shows the beginning of a long prompt and fetches the rest on demand. */
function FailedPrompt({ sessionId, command, like, onDiscard }: FailedPromptProps) {
  const [isWanted, setWanted] = useState(false)
  const { text, error, isFetching } = useWholeText(sessionId, command, isWanted)
  const rest =
    text === undefined ? (
      <>
        {error ? <ErrorNotice error={toCodedError(error).toBody()} /> : null}
        <Button size="sm" disabled={isFetching} onClick={() => setWanted(true)}>
          Show all {command.textLength?.toLocaleString('en')} characters
        </Button>
      </>
    ) : null
  return <UnsentPrompt like={{ ...like, prompt: text ?? `${command.text}…` }} rest={rest} onDiscard={onDiscard} />
}

interface UnsentPromptProps {
  like: Like & { prompt: string }
  /** Shown instead of the actions until the whole text has arrived. */
  rest?: ReactNode
  onDiscard: () => void
}

function UnsentPrompt({ like, rest = null, onDiscard }: UnsentPromptProps) {
  const { prompt, images } = like
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has looks of its own
    <div role="group" aria-label="Not sent" className="rounded-lg border border-line bg-surface px-3 py-2 text-sm">
      <p className="flex gap-2 text-ink-3 text-xs">
        Not sent
        <ImageCount count={images.length} />
      </p>
      {prompt === '' ? null : (
        <p className="mt-0.5 max-h-[30dvh] overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere]">
          <PlainText>{prompt}</PlainText>
        </p>
      )}
      <div className="mt-1.5 flex flex-wrap justify-end gap-1.5">
        <Button size="sm" look="plain" onClick={onDiscard}>
          Discard
        </Button>
        {rest ?? (
          <>
            {prompt === '' ? null : <CopyButton text={prompt} />}
            <NewSessionButton size="sm" label="New session with this" like={like} onStarted={onDiscard} />
          </>
        )}
      </div>
    </div>
  )
}
