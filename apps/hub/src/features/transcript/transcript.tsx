'use client'
/**
 * The transcript: virtualised, token-level live text at its end. It sticks to the bottom until the reader leaves it; then
 * the count of new items shows. Older pages load when the reader comes near the top.
 */
import type { LiveBlock } from '@roundhouse/delivery'
import { ArrowDown } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { SessionData } from '../../live/use-session'
import { Button } from '../../ui/button'
import { buildItems } from './build-items'
import { ItemView, TextBody, Thinking } from './item-view'
import type { Item } from './items'
import { useStick } from './use-stick'

type Row = { key: string; item: Item } | { key: string; block: LiveBlock }

export function Transcript({
  events,
  blocks,
  more,
  loadOlder,
}: Pick<SessionData, 'events' | 'blocks' | 'more'> & { loadOlder: () => Promise<boolean> }) {
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
  const { atBottom, missed, onScroll, onReader, toTheEnd } = useStick(list, rows, more, loadOlder)

  return (
    <div className="relative min-h-0 flex-1" {...onReader}>
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
          onClick={toTheEnd}
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
