'use client'
/**
 * The transcript: virtualised, token-level live text at its end. It sticks to the bottom only while the reader is there;
 * otherwise the count of new items shows. Older pages load when the reader comes near the top.
 */
import type { LiveBlock } from '@roundhouse/delivery'
import { ArrowDown } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { SessionData } from '../../live/use-session'
import { Button } from '../../ui/button'
import { buildItems } from './build-items'
import { ItemView, TextBody, Thinking } from './item-view'
import type { Item } from './items'

const NEAR_BOTTOM_PX = 80
const NEAR_TOP_PX = 600

type Row = { key: string; item: Item } | { key: string; block: LiveBlock }

export function Transcript({
  events,
  blocks,
  more,
  loadOlder,
}: Pick<SessionData, 'events' | 'blocks' | 'more'> & { loadOlder: () => Promise<void> }) {
  const list = useRef<VListHandle>(null)
  const items = useMemo(() => buildItems(events), [events])
  const rows = useMemo<Row[]>(
    () => [
      ...items.map((item) => ({ key: item.key, item })),
      ...(blocks?.open ?? [])
        .filter((block) => block.kind !== 'tool_progress' && block.text !== '' && block.parentCallId === undefined)
        .map((block) => ({ key: `live-${block.blockId}`, block })),
    ],
    [items, blocks],
  )
  const prepended = usePrepended(rows)
  const { atBottom, onScroll, missed } = useStick(list, rows, more, loadOlder)

  return (
    <div className="relative min-h-0 flex-1">
      <VList
        ref={list}
        shift={prepended}
        onScroll={onScroll}
        className="h-full"
        role="log"
        aria-label="Transcript"
        aria-live="off"
      >
        {more ? <p className="py-3 text-center text-ink-3 text-xs">Loading older events…</p> : <div className="h-4" />}
        {rows.map((row) => (
          <div key={row.key} className="mx-auto w-full max-w-3xl px-4 py-1.5 md:px-6">
            {'item' in row ? <ItemView item={row.item} /> : <LiveBlockView block={row.block} />}
          </div>
        ))}
        <div className="h-4" />
      </VList>
      {atBottom ? null : (
        <Button
          className="-translate-x-1/2 absolute bottom-3 left-1/2 rounded-full shadow-pop"
          onClick={() => list.current?.scrollToIndex(rows.length + 1, { align: 'end' })}
          icon={<ArrowDown className="size-4" aria-hidden />}
        >
          {missed > 0 ? `${missed} new` : 'To the end'}
        </Button>
      )}
    </div>
  )
}

function LiveBlockView({ block }: { block: LiveBlock }) {
  if (block.kind === 'thinking') return <Thinking text={block.text} live />
  return (
    <div data-testid="live-block" data-item="live" aria-busy="true">
      {block.from > 0 ? <p className="text-ink-3 text-xs">The beginning follows when the block is finished.</p> : null}
      <TextBody text={block.text} streaming />
    </div>
  )
}

/** True in the one render in which rows came in front, so that the list keeps its place. */
function usePrepended(rows: readonly Row[]): boolean {
  const firstKey = useRef<string | undefined>(undefined)
  const first = rows[0]?.key
  const prepended =
    firstKey.current !== undefined && first !== firstKey.current && rows.some((row) => row.key === firstKey.current)
  useEffect(() => {
    firstKey.current = first
  }, [first])
  return prepended
}

function useStick(
  list: React.RefObject<VListHandle | null>,
  rows: readonly Row[],
  more: boolean,
  loadOlder: () => Promise<void>,
) {
  const [atBottom, setAtBottom] = useState(true)
  const [seenRows, setSeenRows] = useState(rows.length)
  const sticking = useRef(true)

  const onScroll = useCallback(
    (offset: number) => {
      const handle = list.current
      if (!handle) return
      const bottom = offset + handle.viewportSize >= handle.scrollSize - NEAR_BOTTOM_PX
      sticking.current = bottom
      setAtBottom(bottom)
      if (more && offset < NEAR_TOP_PX) void loadOlder()
    },
    [list, more, loadOlder],
  )

  useLayoutEffect(() => {
    if (!sticking.current) return
    list.current?.scrollToIndex(rows.length + 1, { align: 'end' })
    setSeenRows(rows.length)
  }, [rows, list])

  return { atBottom, onScroll, missed: Math.max(0, rows.length - seenRows) }
}
