'use client'
import { isCutValue } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { Check, ChevronRight, LoaderCircle, OctagonX, X } from 'lucide-react'
import { Fragment, type ReactNode, useId, useState } from 'react'
import { PlainText } from '../../ui/plain-text'
import { shortDuration } from '../../ui/time'
import { AnsiText } from './ansi-text'
import { describeTool } from './describe-tool'
import type { Item, ToolState } from './items'
import { outputText } from './output-text'
import { ToolDetailView } from './tool-detail'

/** A call and its result as one card: a one-line summary, details on demand. Failed calls open by themselves. */
export function ToolCard({ tool, renderStep }: { tool: ToolState; renderStep: (step: Item) => ReactNode }) {
  const words = describeTool(tool.toolName, tool.input)
  const [open, setOpen] = useState(tool.state === 'failed')
  const id = useId()
  const took = tool.endedAt === undefined ? null : tool.endedAt - tool.startedAt
  return (
    <div
      data-testid="tool-card"
      data-tool={tool.toolName}
      data-state={tool.state}
      className="rounded-lg border border-line bg-surface"
    >
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 px-3 py-2 text-left text-sm"
      >
        <StateIcon state={tool.state} />
        <span className="shrink-0 font-medium">{words.verb}</span>
        <span className="min-w-0 truncate font-mono text-ink-2 text-xs">
          <PlainText>{words.object}</PlainText>
        </span>
        <span className="ml-auto flex shrink-0 items-center gap-2 text-ink-3 text-xs tabular-nums">
          {tool.children.length > 0 ? `${tool.children.length} steps` : null}
          {took === null ? null : shortDuration(took)}
          <ChevronRight className={clsx('size-4 transition-transform duration-150', open && 'rotate-90')} aria-hidden />
        </span>
      </button>
      {tool.permission ? (
        <p className={clsx('px-3 pb-2 pl-9 text-xs', tool.asking ? 'text-needs' : 'text-ink-3')}>{tool.permission}</p>
      ) : null}
      {open ? (
        <div id={id} className="space-y-2 border-line border-t px-3 py-3">
          <ToolDetailView detail={words.detail} />
          <Output tool={tool} />
          {tool.children.length > 0 ? (
            <div className="space-y-2 border-line border-l-2 pl-3">
              {tool.children.map((child) => (
                <Fragment key={child.key}>{renderStep(child)}</Fragment>
              ))}
            </div>
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

function StateIcon({ state }: { state: ToolState['state'] }) {
  const names = { running: 'running', done: 'done', failed: 'failed', interrupted: 'interrupted' } as const
  const icon = {
    running: <LoaderCircle className="size-4 shrink-0 animate-spin text-working" aria-hidden />,
    done: <Check className="size-4 shrink-0 text-done" aria-hidden />,
    failed: <X className="size-4 shrink-0 text-failed" aria-hidden />,
    interrupted: <OctagonX className="size-4 shrink-0 text-failed" aria-hidden />,
  }[state]
  return (
    <>
      {icon}
      <span className="sr-only">{names[state]}</span>
    </>
  )
}

function Output({ tool }: { tool: ToolState }) {
  if (tool.state === 'interrupted')
    return <p className="text-failed text-xs">The program ended before this call reported.</p>
  if (tool.output === undefined) return null
  if (isCutValue(tool.output)) return <ToolDetailView detail={{ kind: 'cut', value: tool.output }} />
  const text = outputText(tool.output)
  if (text.trim() === '') return <p className="text-ink-3 text-xs">No output.</p>
  return <AnsiText text={text} failed={tool.state === 'failed'} />
}
