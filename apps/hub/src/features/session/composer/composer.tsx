'use client'
import { isSupported, lacking, type PromptRequest, type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { CornerDownLeft, CornerRightUp } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useHub } from '../../../live/hub-provider'
import { useErrorUntilBack } from '../../../live/use-error-until-back'
import { Button } from '../../../ui/forms/button'
import { ErrorNotice } from '../../../ui/forms/notice'
import { late } from '../../../ui/overlays/late'
import { AttachButton } from '../../images/attach-button'
import { type AttachedImage, type ImageDraft, useImages } from '../../images/use-images'
import { useGrow } from '../prompt/use-grow'
import { ContextMeter } from './context-meter'
import { type HistoryStep, historyStep } from './prompt-history'
import { SettingPickers } from './setting-pickers'
import { StopTurn } from './stop-turn'
import { promptWith, type TurnOverride } from './turn-override'
import { useBackend } from './use-backend'
import { useDraft } from './use-draft'
import { useInUse } from './use-in-use'
import { useStartedFocus } from './use-started-focus'

const Completion = late(() => import('./completion').then((module) => module.Completion))
const QueueChips = late(() => import('../queue/queue-chips').then((module) => module.QueueChips))
const Unsent = late(() => import('../queue/unsent').then((module) => module.Unsent))
const ImageStrip = late(() => import('../../images/image-strip').then((module) => module.ImageStrip))

interface Sent {
  prompt: PromptRequest
  attached: readonly AttachedImage[]
}

interface ComposerProps {
  view: SessionView
  /** Earlier prompts, the newest first. */
  history: readonly string[]
  /** A prompt is on its way. */
  onSend: () => void
}

/** Images alone make a prompt if the program accepts that. */
function sendable(draft: string, { incoming, list }: ImageDraft, backend: ReturnType<typeof useBackend>) {
  const isEmpty = draft.trim() === ''
  const needsText = isEmpty && backend?.capabilities.acceptsImagesAlone !== true
  const isOnItsWay = incoming.length > 0 || list.some(({ image }) => image === null)
  return { needsText, cannotSend: isOnItsWay || needsText || (isEmpty && list.length === 0) }
}

/**
 * The composer: write, queue, steer, stop. The draft survives a reload. A sent prompt appears as sent until the machine
 * has it. In an ended session, only unsent text is left.
 */
export function Composer({ view, history, onSend }: ComposerProps) {
  const hub = useHub()
  const [draft, setDraft] = useDraft(view.sessionId)
  const [once, setOnce] = useState<TurnOverride | null>(null)
  const box = useRef<HTMLTextAreaElement>(null)
  const maySend = useRef<(text: string) => boolean>(() => true)
  const browsed = useRef<HistoryStep & { written: string }>({ index: -1, text: '', written: '' })
  const backend = useBackend(view)
  const running = view.turnId !== undefined
  const { inUse, onFocus, onBlur } = useInUse()
  const { takesImages, injects, noStop } = abilitiesOf(backend)
  const images = useImages({ field: box, takes: takesImages })
  const isLine = !inUse && draft === '' && !images.isShown
  const { needsText, cannotSend } = sendable(draft, images, backend)
  const steers = running && injects

  const send = useMutation({
    mutationFn: ({ prompt }: Sent) => hub.rest.prompt(view.sessionId, prompt, prompt.promptId),
    onError: (_error, { prompt, attached }) => {
      setDraft((now) => (now === '' ? prompt.text : now))
      images.setList((now) => [...attached, ...now])
    },
  })
  const stop = useMutation({ mutationFn: (turnId: string) => hub.rest.interrupt(view.sessionId, turnId) })
  useErrorUntilBack(send)
  useErrorUntilBack(stop)
  const isWaiting = send.isPending || view.queue.length + view.commands.length > 0
  const stopTurn = () => view.turnId && stop.mutate(view.turnId)
  useGrow(box, draft)
  useStartedFocus(view.sessionId, box)

  function submit(steer: boolean) {
    const text = draft.trim()
    if (cannotSend || !maySend.current(text)) return
    // The hub has the images and shows them if they are attached again.
    const attached = images.list.map(({ file: _here, ...one }) => one)
    const imageIds = attached.flatMap(({ image }) => image?.imageId ?? [])
    setDraft('')
    images.setList([])
    images.setProblems([])
    setOnce(null)
    browsed.current = { index: -1, text: '', written: '' }
    const promptId = `p_${crypto.randomUUID().replaceAll('-', '')}`
    const prompt = { promptId, text, ...(steer ? { steer } : {}), ...(imageIds.length > 0 ? { images: imageIds } : {}) }
    send.mutate({ prompt: promptWith(prompt, once ?? {}), attached })
    onSend()
  }

  function browse(event: KeyboardEvent<HTMLTextAreaElement>, up: boolean) {
    const { selectionStart, selectionEnd, value } = event.currentTarget
    const atEdge = up ? selectionEnd === 0 || value === '' : selectionStart === value.length
    const changed = value !== browsed.current.text
    if (!atEdge && (changed || browsed.current.index < 0)) return
    const from = changed ? { index: -1, text: value, written: value } : browsed.current
    const step = historyStep(history, from, from.written, up)
    if (!step) return
    event.preventDefault()
    browsed.current = { ...step, written: from.written }
    setDraft(step.text)
  }

  function onKey(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      submit(steers && (event.ctrlKey || event.metaKey))
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') browse(event, event.key === 'ArrowUp')
    else if (event.key === 'Escape' && draft === '') focusQuestion()
  }

  if (view.status.status === 'ended') {
    const discard = () => {
      setDraft('')
      images.setList([])
    }
    return <Unsent view={view} draft={{ text: draft, images: images.list }} onDiscard={discard} />
  }
  return (
    <div className="shrink-0">
      {isWaiting ? (
        <QueueChips
          view={view}
          sending={send.isPending ? send.variables.prompt : null}
          onPutBack={(text, put) => {
            setDraft((now) => [now, text].filter(Boolean).join('\n\n'))
            images.setList((now) => [...now, ...put.map((image) => ({ key: image.imageId, name: 'image', image }))])
          }}
        />
      ) : null}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has looks of its own */}
      <div
        role="group"
        aria-label="Composer"
        onFocus={onFocus}
        onBlur={onBlur}
        className={clsx(
          'rounded-xl border border-line-strong bg-surface shadow-sm focus-within:border-accent',
          isLine && 'max-md:flex max-md:items-center',
        )}
      >
        {inUse || /^\/|@/.test(draft) ? (
          <Completion view={view} backend={backend} box={box} draft={draft} onDraft={setDraft} maySend={maySend} />
        ) : null}
        {images.isShown ? (
          <ImageStrip sessionId={view.sessionId} draft={images} isUploading needsText={needsText} />
        ) : null}
        <textarea
          ref={box}
          aria-label="Prompt"
          data-prompt-field
          data-focus-heir
          rows={1}
          value={draft}
          onChange={(event) => {
            setDraft(event.target.value)
            if (send.isError) send.reset()
          }}
          onKeyDown={onKey}
          placeholder={placeholderOf(running, inUse)}
          className={clsx(
            'block w-full resize-none bg-transparent px-3.5 pt-2.5 pb-1 text-base outline-none placeholder:text-ink-3',
            heightOf(view),
            isLine && 'max-md:min-w-0 max-md:flex-1 max-md:py-2.5',
          )}
        />
        {/* A long draft below a request scrolls; what sends it stays. */}
        <div
          className={clsx(
            'sticky bottom-0 flex flex-wrap items-center gap-1 rounded-b-xl bg-surface px-2',
            isLine ? 'pb-2 max-md:py-1.5' : 'pb-2',
          )}
        >
          <div className={clsx('contents', isLine && 'max-md:hidden')}>
            {backend ? <SettingPickers view={view} backend={backend} once={once} onOnce={setOnce} /> : null}
          </div>
          <div className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-1.5">
            <div className={clsx('contents', isLine && 'max-md:hidden')}>
              {takesImages ? <AttachButton draft={images} /> : null}
              <ContextMeter view={view} />
            </div>
            {running ? <StopTurn whyNot={noStop} isStopping={stop.isPending} onStop={stopTurn} /> : null}
            {steers ? (
              <Button
                size="sm"
                className={clsx(isLine && 'max-md:hidden')}
                onClick={() => submit(true)}
                disabled={cannotSend}
                title="Steer the current turn: the model reads it at once (Ctrl Enter)"
                icon={<CornerRightUp className="size-3.5" aria-hidden />}
              >
                <span>
                  Steer<span className="hidden xl:inline"> the current turn</span>
                </span>
              </Button>
            ) : null}
            <Button
              size="sm"
              look="solid"
              className={clsx(isLine && running && 'max-md:hidden')}
              onClick={() => submit(false)}
              disabled={cannotSend}
              title={running ? 'After the current turn (Enter)' : 'Enter'}
              icon={<CornerDownLeft className="size-3.5" aria-hidden />}
            >
              {running ? 'Queue' : 'Send'}
            </Button>
          </div>
        </div>
      </div>
      {send.error ? (
        <ErrorNotice
          className="mt-2"
          error={toCodedError(send.error).toBody()}
          next="It was not sent. It is still in the box."
        />
      ) : null}
      {stop.error ? <ErrorNotice className="mt-2" error={toCodedError(stop.error).toBody()} /> : null}
    </div>
  )
}

/** In a text field, `a`, `s`, `d` and `x` are letters. */
function focusQuestion(): void {
  document.querySelector<HTMLElement>('[data-testid=permission-prompt]')?.focus()
}

/** A request needs the room above. */
const heightOf = ({ requests }: ComposerProps['view']) =>
  requests.some(({ outcome }) => outcome === 'open') ? 'max-h-[min(7.5rem,15dvh)]' : 'max-h-[min(15rem,30dvh)]'

/** While writing, the placeholder explains what the box can do. On a phone, a closed box has room only for its name. */
const placeholderOf = (running: boolean, inUse: boolean) =>
  `${running ? 'Queue the next prompt' : 'Write a prompt'}${inUse ? ' (/ commands, @ files)' : ''}`

const abilitiesOf = (backend: ReturnType<typeof useBackend>) => ({
  takesImages: backend !== undefined && isSupported(backend.capabilities, 'images'),
  injects: backend !== undefined && isSupported(backend.capabilities, 'message_injection'),
  /** Why a turn cannot be stopped by itself. */
  noStop: backend?.installed ? lacking(backend, 'interrupt')?.message : undefined,
})
