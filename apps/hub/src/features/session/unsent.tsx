'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/copy-button'
import { PlainText } from '../../ui/plain-text'
import { type LikeSession, storedImages } from '../sessions/like-session'
import { NewSessionButton } from '../sessions/new-session'
import { commandWords } from './command-words'
import { ImageCount } from './image-count'
import type { AttachedImage } from './use-images'

interface UnsentProps {
  view: SessionView
  /** What stands in the composer. */
  draft: { text: string; images: readonly AttachedImage[] }
  onDiscard: () => void
}

/** What was written for a session that has ended, and never ran in it. */
export function Unsent({ view, draft, onDiscard }: UnsentProps) {
  const hub = useHub()
  const { sessionId, agentId, settings } = view
  const dismiss = useMutation({ mutationFn: (commandId: string) => hub.rest.dismissCommand(sessionId, commandId) })
  const here = draft.images.map((one) => ({ storedIn: sessionId, ...one }))
  const like = { agentId, settings }
  return (
    <>
      {failedPrompts(view).map(({ commandId, text, images = [] }) => (
        <UnsentPrompt
          key={commandId}
          like={{ ...like, prompt: text, images: storedImages(images, sessionId) }}
          onDiscard={() => dismiss.mutate(commandId)}
        />
      ))}
      {draft.text.trim() === '' && here.length === 0 ? null : (
        <UnsentPrompt like={{ ...like, prompt: draft.text, images: here }} onDiscard={onDiscard} />
      )}
    </>
  )
}

/** Where nothing of the session ever ran, its notice offers the first prompt. */
function failedPrompts({ commands, queue, agentName, head }: SessionView) {
  return commands.flatMap(({ text: sent, ...command }) => {
    const queued = queue.find(({ commandId, cut }) => commandId === command.commandId && !cut)
    const text = queued?.text ?? sent
    const failed = head > 0 && commandWords(command, agentName)?.failed
    return failed && text !== undefined ? [{ ...command, text }] : []
  })
}

interface UnsentPromptProps {
  like: LikeSession & { prompt: string; images: readonly AttachedImage[] }
  onDiscard: () => void
}

function UnsentPrompt({ like, onDiscard }: UnsentPromptProps) {
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
        {prompt === '' ? null : <CopyButton text={prompt} />}
        <NewSessionButton size="sm" label="New session with this" like={like} onStarted={onDiscard} />
      </div>
    </div>
  )
}
