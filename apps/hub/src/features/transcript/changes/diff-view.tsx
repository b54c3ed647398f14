'use client'
import { clsx } from 'clsx'
import { Columns2, Rows2 } from 'lucide-react'
import { createContext, useContext, useMemo, useSyncExternalStore } from 'react'
import { Button } from '../../../ui/forms/button'
import { useKept } from '../../../ui/kept-state'
import { ScrollRegion } from '../../../ui/scroll-region'
import { useFolded } from '../../../ui/seen-whole'
import { CodeText } from '../../../ui/text/code-text'
import { PlainText } from '../../../ui/text/plain-text'
import { type LineNumbers, numbersOf } from './diff-numbers'
import { type DiffPair, type DiffRow, sideBySide } from './diff-rows'
import { splitDiff } from './split-diff'

const FOLDED_ROWS = 40
/** How many lines each press adds: showing a very long change at once would block the page. */
const PART_ROWS = 1_000

const Numbers = createContext<ReadonlyMap<DiffRow, LineNumbers>>(new Map())

interface DiffViewProps {
  rows: readonly DiffRow[]
  label: string
  /** False: the position in the file is unknown. */
  numbered?: boolean
  /** Line counts of the whole change. `rows` may be only its beginning. */
  added?: number | undefined
  removed?: number | undefined
  keep: string
}

/** A change, inline or side by side. A long one is folded, and the fold says what it hides. */
export function DiffView({ rows, label, numbered = true, added, removed, keep }: DiffViewProps) {
  const split = useSyncExternalStore(splitDiff.subscribe, splitDiff.get, () => false)
  const [wanted, setWanted] = useKept(`${keep}-diff`, FOLDED_ROWS)
  const long = rows.length > FOLDED_ROWS + 5
  const whole = !long || wanted >= rows.length
  useFolded(`${keep}-diff`, !whole)
  const shown = useMemo(() => (whole ? rows : rows.slice(0, wanted)), [rows, whole, wanted])
  const numbers = useMemo(() => (numbered ? numbersOf(rows) : new Map()), [rows, numbered])
  return (
    <div>
      <div className="mb-1 flex items-baseline gap-2 text-xs tabular-nums">
        <span className="min-w-0 font-mono text-ink-2 [overflow-wrap:anywhere]">
          <CodeText>{label}</CodeText>
        </span>
        {added === undefined ? null : <span className="text-done">+{added.toLocaleString()}</span>}
        {removed === undefined ? null : <span className="text-failed">−{removed.toLocaleString()}</span>}
        <button
          type="button"
          aria-pressed={split}
          title={split ? 'One below the other' : 'Side by side'}
          onClick={() => splitDiff.set(!split)}
          className="ml-auto hidden rounded p-0.5 text-ink-3 hover:text-ink lg:block"
        >
          {split ? <Rows2 className="size-3.5" aria-hidden /> : <Columns2 className="size-3.5" aria-hidden />}
          <span className="sr-only">Side by side</span>
        </button>
      </div>
      <Numbers value={numbers}>
        {rows.length > 0 ? (
          <ScrollRegion label={`Change of ${label}`} className="bg-sunken px-0!">
            {split ? (
              <>
                <div className="hidden lg:block">
                  <Split rows={shown} />
                </div>
                <div className="lg:hidden">
                  <Unified rows={shown} />
                </div>
              </>
            ) : (
              <Unified rows={shown} />
            )}
          </ScrollRegion>
        ) : null}
      </Numbers>
      {long ? (
        <Button
          size="sm"
          className="mt-1"
          data-unfolds={whole ? undefined : ''}
          onClick={() => setWanted(whole ? FOLDED_ROWS : wanted + PART_ROWS)}
        >
          {whole
            ? 'Show less'
            : rows.length - wanted > PART_ROWS
              ? `Show ${PART_ROWS.toLocaleString()} more of ${rows.length.toLocaleString()} lines`
              : `Show all ${rows.length.toLocaleString()} lines`}
        </Button>
      ) : null}
    </div>
  )
}

function Unified({ rows }: { rows: readonly DiffRow[] }) {
  return rows.map((row, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
    <Line key={index} row={row} />
  ))
}

function Split({ rows }: { rows: readonly DiffRow[] }) {
  const pairs = useMemo(() => sideBySide(rows), [rows])
  return pairs.map((pair, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
    <PairLine key={index} pair={pair} />
  ))
}

function PairLine({ pair: { left, right } }: { pair: DiffPair }) {
  if (left?.kind === 'hunk') return <Line row={left} />
  return (
    <div className="grid grid-cols-2 divide-x divide-line">
      {left ? <Line row={left} left /> : <div />}
      {right ? <Line row={right} /> : <div />}
    </div>
  )
}

const looks: Record<DiffRow['kind'], { line: string; word: string; sign: string; said: string }> = {
  same: { line: '', word: '', sign: ' ', said: '' },
  added: { line: 'bg-added', word: 'rounded-xs bg-added-word', sign: '+', said: 'added: ' },
  removed: { line: 'bg-removed', word: 'rounded-xs bg-removed-word', sign: '-', said: 'removed: ' },
  hunk: { line: 'text-ink-3', word: '', sign: ' ', said: '' },
}

function Line({ row, left = row.kind === 'removed' }: { row: DiffRow; left?: boolean }) {
  const look = looks[row.kind]
  const { before, after } = useContext(Numbers).get(row) ?? {}
  return (
    <div className={clsx('grid grid-cols-[3rem_1.25rem_1fr] pr-3', look.line)}>
      <span aria-hidden className="select-none pr-2 text-right text-ink-3 tabular-nums">
        {left ? before : after}
      </span>
      <span aria-hidden className="select-none text-ink-3">
        {look.sign}
      </span>
      <span className="min-h-5 [overflow-wrap:anywhere]">
        {look.said ? <span className="sr-only">{look.said}</span> : null}
        {row.pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
          <span key={index} className={piece.changed ? look.word : undefined}>
            <PlainText>{piece.text}</PlainText>
          </span>
        ))}
      </span>
    </div>
  )
}
