'use client'
/**
 * The transcript: virtualised, with token-level live text at its end. It follows the end until the reader leaves it; then it
 * shows the number of new items. Older and newer pages load when the reader comes near an edge, and a link can open any
 * event.
 */
import type { LiveBlock } from '@roundhouse/delivery'
import { ArrowDown } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import { endOf, hasNewer } from '../../live/event-window'
import type { SessionData } from '../../live/use-session'
import { Button } from '../../ui/forms/button'
import { KeptStates } from '../../ui/kept-state'
import { ItemView, TextBody, Thinking } from './cards/item-view'
import { ToolProgressProvider } from './cards/tool-progress'
import { useNames } from './cards/use-names'
import { buildTranscript } from './items/build-items'
import type { Row } from './items/rows'
import { FindBar } from './reading/find-bar'
import { useFind } from './reading/use-find'
import { usePlace } from './reading/use-place'
import { useStick } from './reading/use-stick'
import { useTarget } from './reading/use-target'

export interface TranscriptProps {
  sessionId: string
  session: SessionData
  /** Increases with each prompt that is sent on this page, to scroll its sender to it. */
  sent: number
}

export function Transcript({ sessionId, session, sent }: TranscriptProps) {
  const { window, blocks, opened, following, loadOlder, loadNewer, openEnd, openAround } = session
  const list = useRef<VListHandle>(null)
  const led = useRef(false)
  const newer = hasNewer(window)
  const names = useNames(session.view)
  const transcript = useMemo(() => buildTranscript(window.events, names), [window.events, names])
  const rows = useMemo<Row[]>(
    () => [
      ...transcript.items.map((item) => ({ key: item.key, item })),
      ...(newer ? [] : (blocks?.open ?? []))
        .filter((block) => block.kind !== 'tool_progress' && block.text !== '' && block.parentCallId === undefined)
        .map((block) => ({ key: `live-${block.blockId}`, block })),
    ],
    [transcript, blocks, newer],
  )
  const shift = useShift(rows)
  const stick = useStick({
    list,
    rows,
    older: window.older,
    newer,
    loadOlder,
    loadNewer,
    openEnd,
    following,
    led,
    opened,
  })
  const place = usePlace(sessionId, { list, rows, following })
  const { marked, goTo, release } = useTarget({
    list,
    scrollTo: stick.scrollTo,
    transcript,
    window,
    openAround,
    leave: stick.leave,
    led,
    first: place.first,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever one is sent, and at no other time
  useEffect(() => {
    if (sent === 0) return
    release()
    stick.toTheEnd()
  }, [sent])
  const find = useFind({ rows, onGo: goTo })
  const missed = useMissed(window, stick.atBottom)

  return (
    <KeptStates>
      <ToolProgressProvider blocks={blocks}>
        <div
          ref={stick.box}
          className="session-transcript relative"
          {...stick.onReader}
          onWheelCapture={release}
          onTouchMoveCapture={release}
          onPointerDownCapture={release}
          onKeyDownCapture={release}
        >
          {find.open ? <FindBar find={find} older={window.older} loadOlder={loadOlder} /> : null}
          <VList
            key={opened}
            ref={list}
            shift={shift}
            onScroll={stick.onScroll}
            onScrollEnd={place.keep}
            className="h-full pb-2 [scrollbar-gutter:stable]"
            role="log"
            aria-label="Transcript"
            aria-live="off"
            tabIndex={0}
          >
            {window.older ? <Edge>Loading older events…</Edge> : <div className="h-4" />}
            {rows.map((row) => (
              <div
                key={row.key}
                data-marked={'item' in row && (marked === row.item.seq || find.current === row.key) ? '' : undefined}
                className="mx-auto w-full max-w-3xl rounded-lg px-4 py-1.5 transition-colors duration-150 data-marked:bg-accent-soft md:px-6"
              >
                {'item' in row ? <ItemView item={row.item} /> : <LiveBlockView block={row.block} />}
              </div>
            ))}
            {newer ? <Edge>Loading newer events…</Edge> : <div className="h-4" />}
          </VList>
          {stick.atBottom ? null : (
            <Button
              className="-translate-x-1/2 absolute bottom-3 left-1/2 z-10 rounded-full shadow-pop"
              onClick={stick.toTheEnd}
              icon={<ArrowDown className="size-4" aria-hidden />}
            >
              {missed > 0 ? `${missed.toLocaleString()} new` : 'To the end'}
            </Button>
          )}
        </div>
      </ToolProgressProvider>
    </KeptStates>
  )
}

function Edge({ children }: { children: string }) {
  return <p className="py-3 text-center text-ink-3 text-xs">{children}</p>
}

function LiveBlockView({ block }: { block: LiveBlock }) {
  if (block.kind === 'thinking') return <Thinking text={block.text} live keep={block.blockId} />
  return (
    <div data-testid="live-block" data-item="live" aria-busy="true">
      {block.from > 0 ? <p className="text-ink-3 text-xs">The beginning follows when the block is finished.</p> : null}
      <TextBody text={block.text} streaming />
    </div>
  )
}

/** True in the one render in which rows were added or removed in front, so that the list keeps its place. */
function useShift(rows: readonly Row[]): boolean {
  const before = useRef<readonly Row[]>(rows)
  const [was, is] = [before.current[0]?.key, rows[0]?.key]
  const shifted =
    was !== undefined &&
    is !== was &&
    (rows.some((row) => row.key === was) || before.current.some((row) => row.key === is))
  useEffect(() => {
    before.current = rows
  }, [rows])
  return shifted
}

/** How many events arrived since the reader left the end. */
function useMissed(window: SessionData['window'], atBottom: boolean): number {
  const head = Math.max(window.head, endOf(window))
  const [seen, setSeen] = useState(head)
  useEffect(() => {
    if (atBottom) setSeen(head)
  }, [atBottom, head])
  return atBottom ? 0 : Math.max(0, head - seen)
}
