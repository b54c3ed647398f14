'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { CornerDownLeft, Square } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/button'
import { ErrorNotice } from '../../ui/notice'
import { QueueChips } from './queue-chips'
import { SettingPickers } from './setting-pickers'
import { useDraft } from './use-draft'
import { useStopKey } from './use-stop-key'

/** Write, queue, stop. The draft survives a reload; what was sent shows as sent until the machine has it. */
export function Composer({ view }: { view: SessionView }) {
  const hub = useHub()
  const [draft, setDraft] = useDraft(view.sessionId)
  const [history, setHistory] = useState<string[]>([])
  const box = useRef<HTMLTextAreaElement>(null)
  const running = view.turnId !== undefined
  const ended = view.status.status === 'ended'

  const send = useMutation({
    mutationFn: (prompt: { promptId: string; text: string }) =>
      hub.rest.prompt(view.sessionId, prompt, prompt.promptId),
    onError: (_error, prompt) => setDraft((now) => (now === '' ? prompt.text : now)),
  })
  const stop = useMutation({ mutationFn: (turnId: string) => hub.rest.interrupt(view.sessionId, turnId) })
  const stopTurn = () => view.turnId && stop.mutate(view.turnId)
  useStopKey(running, stopTurn)
  useGrow(box, draft)

  function submit() {
    const text = draft.trim()
    if (text === '' || ended) return
    setHistory((before) => [text, ...before].slice(0, 50))
    setDraft('')
    send.mutate({ promptId: `p_${crypto.randomUUID().replaceAll('-', '')}`, text })
  }

  function onKey(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      submit()
    } else if (event.key === 'ArrowUp' && draft === '' && history[0]) {
      event.preventDefault()
      setDraft(history[0])
    }
  }

  if (ended) return <p className="px-4 py-3 text-center text-ink-3 text-sm">This session has ended.</p>
  return (
    <div className="mx-auto w-full max-w-3xl px-3 py-2 md:px-6">
      <QueueChips view={view} />
      <div className="rounded-xl border border-line-strong bg-surface focus-within:border-accent">
        <textarea
          ref={box}
          aria-label="Prompt"
          rows={1}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKey}
          placeholder={running ? 'Write the next prompt; it waits its turn' : 'Write a prompt'}
          className="block max-h-60 w-full resize-none bg-transparent px-3.5 pt-2.5 pb-1 text-base outline-none placeholder:text-ink-3"
        />
        <div className="flex flex-wrap items-center gap-1 px-2 pb-2">
          <SettingPickers view={view} />
          <div className="ml-auto flex shrink-0 gap-1.5">
            {running ? (
              <Button
                size="sm"
                look="danger"
                onClick={stopTurn}
                disabled={stop.isPending}
                title="Stop the turn (Esc Esc)"
                icon={<Square className="size-3" aria-hidden />}
              >
                Stop
              </Button>
            ) : null}
            <Button
              size="sm"
              look="solid"
              onClick={submit}
              disabled={draft.trim() === ''}
              icon={<CornerDownLeft className="size-3.5" aria-hidden />}
            >
              {running ? 'Queue' : 'Send'}
            </Button>
          </div>
        </div>
      </div>
      {send.error ? <ErrorNotice className="mt-2" error={toCodedError(send.error).toBody()} /> : null}
    </div>
  )
}

/** The box grows with its text. The height is set as a property, which the page's policy allows. */
function useGrow(box: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useEffect(() => {
    const element = box.current
    if (!element) return
    element.style.height = 'auto'
    if (text !== '') element.style.height = `${element.scrollHeight}px`
  }, [box, text])
}
