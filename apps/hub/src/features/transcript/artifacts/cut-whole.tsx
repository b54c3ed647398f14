'use client'
/** An artifact, requested from its machine on demand: shown as text, drawn if it is images, or saved. */
import { type CodedError, type CutValue, toCodedError } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useHub } from '../../../live/hub-provider'
import { Button } from '../../../ui/forms/button'
import { ErrorNotice } from '../../../ui/forms/notice'
import { ScrollRegion } from '../../../ui/scroll-region'
import { shortBytes } from '../../../ui/text/bytes'
import { CodeText } from '../../../ui/text/code-text'
import { readBytes } from '../text/read-text'
import { imagesInText } from './images-in'
import { ToolImages } from './tool-images'

/** More than this slows the page down, and nobody reads it there. */
const SHOWN_BYTES = 2_000_000

interface CutWholeProps {
  sessionId: string
  value: CutValue
  artifactId: string
  /** A person decides about this content, so none of it scrolls by itself. */
  complete: boolean
  /** Called when all of it is on the page. */
  onShown?: () => void
}

type State =
  | { is: 'asked' }
  | { is: 'reading'; bytes: number; stop: AbortController }
  | { is: 'there'; whole: Uint8Array<ArrayBuffer> }
  | { is: 'refused'; error: CodedError }

export function CutWhole({ sessionId, value, artifactId, complete, onShown }: CutWholeProps) {
  const { state, read, stop } = useWhole(sessionId, value)
  const isLarge = value.bytes > SHOWN_BYTES
  const whole = state.is === 'there' ? state.whole : null
  const isShown = whole !== null && !isLarge
  useEffect(() => {
    if (isShown) onShown?.()
  }, [isShown, onShown])
  return (
    <div className="my-1 space-y-1.5" data-testid="cut-whole" data-state={state.is}>
      {state.is === 'reading' ? (
        <p role="status" className="flex items-center gap-2 text-ink-2 text-xs tabular-nums">
          Reading from the machine: {shortBytes(state.bytes)} of {shortBytes(value.bytes)}
          <Button size="sm" look="plain" onClick={stop}>
            Cancel
          </Button>
        </p>
      ) : null}
      {state.is === 'refused' ? <ErrorNotice error={state.error.toBody()} next={nextAfter(state.error)} /> : null}
      {state.is === 'asked' || state.is === 'refused' ? (
        <Button size="sm" onClick={read}>
          {state.is === 'asked' ? (isLarge ? 'Get all of it' : 'Show all of it') : 'Try again'}
        </Button>
      ) : null}
      {whole ? <Whole whole={whole} isLarge={isLarge} name={artifactId} complete={complete} /> : null}
    </div>
  )
}

interface WholeProps {
  whole: Uint8Array<ArrayBuffer>
  isLarge: boolean
  name: string
  complete: boolean
}

function Whole({ whole, isLarge, name, complete }: WholeProps) {
  const text = useMemo(() => new TextDecoder().decode(whole), [whole])
  // Content of a permission request is shown unchanged.
  const images = useMemo(() => (complete ? [] : imagesInText(text)), [complete, text])
  const size = shortBytes(whole.length)
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 text-ink-2 text-xs">
        {isLarge && images.length === 0 ? `${size}, too much to show here.` : `All of it, ${size}.`}
        <Button size="sm" onClick={() => save(whole, name)}>
          Save
        </Button>
      </p>
      {images.length > 0 ? <ToolImages images={images} /> : null}
      {isLarge || images.length > 0 ? null : (
        <ScrollRegion label="All of it" className={clsx('bg-sunken', !complete && 'max-h-[60dvh]')}>
          <CodeText>{text}</CodeText>
        </ScrollRegion>
      )}
    </>
  )
}

function useWhole(sessionId: string, value: CutValue) {
  const hub = useHub()
  const [state, setState] = useState<State>({ is: 'asked' })
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const read = () => {
    const stop = new AbortController()
    running.current = stop
    setState({ is: 'reading', bytes: 0, stop })
    const still = (next: State) => (stop.signal.aborted ? undefined : setState(next))
    readBytes(hub.rest, sessionId, value, {
      stop: stop.signal,
      progress: (bytes) => still({ is: 'reading', bytes, stop }),
    }).then(
      (whole) => still({ is: 'there', whole }),
      (error: unknown) => still({ is: 'refused', error: toCodedError(error) }),
    )
  }
  const stop = () => {
    running.current?.abort()
    setState({ is: 'asked' })
  }
  return { state, read, stop }
}

/** Saved without a type, so that nothing opens it automatically. */
function save(whole: Uint8Array<ArrayBuffer>, name: string): void {
  const url = URL.createObjectURL(new Blob([whole], { type: 'application/octet-stream' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: `${name}.txt` })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

const nexts: Partial<Record<CodedError['code'], string>> = {
  AGENT_OFFLINE: 'Nothing is lost: it is on the machine. Try again when that is connected.',
  QUESTION_TIMEOUT: 'It is still on the machine.',
  ARTIFACT_GONE: 'Only its beginning and its end are left.',
}
const nextAfter = ({ code }: CodedError) => nexts[code]
