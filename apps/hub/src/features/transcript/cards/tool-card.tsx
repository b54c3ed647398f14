'use client'
import { isCutValue } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { Ban, Check, ChevronRight, LoaderCircle, OctagonX, ShieldQuestion, X } from 'lucide-react'
import { Fragment, type ReactNode, useContext, useId } from 'react'
import { useKept } from '../../../ui/kept-state'
import { late } from '../../../ui/overlays/late'
import { CodeText } from '../../../ui/text/code-text'
import { PlainText } from '../../../ui/text/plain-text'
import { shortDuration } from '../../../ui/text/time'
import { SessionLink } from '../../links/session-link'
import { inputDetail } from '../changes/input-detail'
import { shortObject, toolWords } from '../changes/tool-words'
import type { Item, ToolAskState, ToolState } from '../items/items'
import { outputText, saysImages, withoutSaid } from '../items/output-text'
import { otherSession } from '../items/request-words'
import { timeWithout } from '../items/waits'
import type { AnsiTextProps } from '../text/ansi-text'
import { AnswersGiven } from './late-answers'
import { RevokeAllowed } from './revoke-allowed'
import { useRunsOn } from './runs-on'
import { SessionFolders } from './session-folders'
import { useShowQuestion } from './show-question'
import { ToolDetailView } from './tool-detail'
import { useProgress } from './tool-progress'

/** A call and its result as one card: a one-line summary, details on demand. Failed calls open by themselves. */
export function ToolCard({ tool, renderStep }: { tool: ToolState; renderStep: (step: Item) => ReactNode }) {
  const words = toolWords(tool)
  const other = otherSession(tool)
  const folders = useContext(SessionFolders)
  const [chosen, setChosen] = useKept<boolean | null>(tool.callId, null)
  const open = chosen ?? (tool.state === 'failed' && !tool.refused && !tool.beside)
  const id = useId()
  const runsOn = useRunsOn(tool.callId)
  // A refused call took no time, because it did not run.
  const took =
    runsOn || tool.refused || tool.endedAt === undefined ? null : timeWithout(tool.waits, tool.startedAt, tool.endedAt)
  const steps = countSteps(tool.children)
  return (
    <div
      data-testid="tool-card"
      data-tool={tool.toolName}
      data-state={runsOn ? 'running' : tool.state}
      className={clsx('rounded-lg border bg-surface', tool.asking ? 'border-needs-line' : 'border-line')}
    >
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setChosen(!open)}
        className="flex w-full items-center gap-2 px-3 py-2 text-left text-sm"
      >
        <StateIcon tool={tool} runsOn={runsOn} />
        <span className="shrink-0 font-medium">
          <PlainText>{words.verb}</PlainText>
        </span>
        <span className="min-w-0 truncate font-mono text-ink-2 text-xs" title={words.object}>
          <CodeText>{shortObject(words, folders)}</CodeText>
        </span>
        <span className="ml-auto flex shrink-0 items-center gap-2 text-ink-3 text-xs tabular-nums">
          {steps > 0 ? <span>{`${steps} ${steps === 1 ? 'step' : 'steps'}`}</span> : null}
          <StateWords tool={tool} runsOn={runsOn} />
          {took === null ? null : <span>{shortDuration(took)}</span>}
          <ChevronRight className={clsx('size-4 transition-transform duration-150', open && 'rotate-90')} aria-hidden />
        </span>
      </button>
      <PermissionLine tool={tool} />
      {other === null ? null : (
        <p className="px-3 pb-2 pl-9 text-ink-2 text-xs [overflow-wrap:anywhere]" data-testid="other-session">
          Session <SessionLink sessionId={other} />
        </p>
      )}
      {tool.answered ? (
        <div className="px-3 pb-2 pl-9">
          <AnswersGiven answered={tool.answered} />
        </div>
      ) : null}
      {(tool.state === 'running' || runsOn) && !tool.asking ? <Progress callId={tool.callId} /> : null}
      {open ? (
        <div id={id} className="space-y-2 border-line border-t px-3 py-3">
          <ToolDetailView detail={inputDetail(tool.shape, tool.input)} found={tool.found} keep={tool.callId} />
          <Ran tool={tool} />
          {tool.children.length > 0 ? (
            <div className="space-y-2 border-line border-l-2 pl-3">
              {tool.children.map((child) => (
                <Fragment key={child.key}>{renderStep(child)}</Fragment>
              ))}
            </div>
          ) : null}
          <Output tool={tool} />
        </div>
      ) : null}
    </div>
  )
}

/** What the icon alone does not show. */
function StateWords({ tool: { state, beside, refused }, runsOn }: { tool: ToolState; runsOn: boolean }) {
  if (runsOn || state === 'background') return <span>in background</span>
  if (beside?.end?.exitCode) return <span>{`exit code ${beside.end.exitCode}`}</span>
  if (state === 'stopped' && !refused) return <span>stopped</span>
  return beside && state === 'interrupted' ? <span>ended</span> : null
}

/** The input that ran, if a person changed it. */
function Ran({ tool: { callId, shape, ran } }: { tool: ToolState }) {
  if (ran === undefined) return null
  return (
    <div data-testid="tool-ran">
      <p className="mb-1 text-ink-3 text-xs">With this input instead:</p>
      <ToolDetailView detail={inputDetail(shape, ran)} keep={`${callId}-ran`} />
    </div>
  )
}

function PermissionLine({
  tool: { callId, permission, asking, grantId, ruleId },
}: {
  tool: ToolAskState & { callId: string }
}) {
  const show = useShowQuestion()
  if (!permission) return null
  const look = 'px-3 pb-2 pl-9 text-xs'
  if (!asking) {
    return (
      <p className={clsx(look, 'text-ink-3 [overflow-wrap:anywhere]')} data-testid="tool-permission">
        <PlainText>{permission}</PlainText>
        <RevokeAllowed grantId={grantId} ruleId={ruleId} />
      </p>
    )
  }
  if (!show) return <p className={clsx(look, 'text-needs')}>{permission}</p>
  return (
    <div className={look}>
      <button
        type="button"
        className="text-needs underline decoration-dotted underline-offset-4 hover:decoration-solid"
        onClick={() => show(callId)}
      >
        {permission}
      </button>
    </div>
  )
}

const AnsiText = late<AnsiTextProps>(() => import('../text/ansi-text').then((module) => module.AnsiText))
const OutputBeside = late(() => import('../items/output-beside').then((module) => module.OutputBeside))
const OutputWithImages = late(() => import('../artifacts/output-with-images').then((module) => module.OutputWithImages))

/** The latest progress of a running call. */
function Progress({ callId }: { callId: string }) {
  const line = useProgress(callId)
  if (!line) return null
  return (
    <p className="truncate px-3 pb-2 pl-9 font-mono text-ink-3 text-xs" data-testid="tool-progress">
      <PlainText>{line}</PlainText>
    </p>
  )
}

const icons = {
  running: { icon: LoaderCircle, look: 'animate-spin text-working', said: 'running' },
  asking: { icon: ShieldQuestion, look: 'text-needs', said: 'waits for you' },
  done: { icon: Check, look: 'text-done', said: 'done' },
  failed: { icon: X, look: 'text-failed', said: 'failed' },
  refused: { icon: Ban, look: 'text-ink-3', said: 'not run' },
  runsOn: { icon: LoaderCircle, look: 'animate-spin text-working', said: 'running in the background' },
  background: { icon: LoaderCircle, look: 'text-ink-3', said: 'went on in the background' },
  stopped: { icon: OctagonX, look: 'text-ink-3', said: 'stopped' },
  interrupted: { icon: OctagonX, look: 'text-ink-3', said: 'interrupted' },
} as const

const isUndone = (state: ToolState['state']) => state === 'failed' || state === 'stopped'

function StateIcon({ tool, runsOn }: { tool: ToolState; runsOn: boolean }) {
  const { state, asking, refused } = tool
  const shown =
    asking && state === 'running' ? 'asking' : runsOn ? 'runsOn' : refused && isUndone(state) ? 'refused' : state
  const { icon: Icon, look, said } = icons[shown]
  return (
    <>
      <Icon className={clsx('size-4 shrink-0', look)} aria-hidden />
      <span className="sr-only">{said}</span>
    </>
  )
}

function Output({ tool }: { tool: ToolState }) {
  if (tool.beside || tool.toModel || tool.state === 'stopped') return <OutputBeside tool={tool} />
  if (tool.state === 'interrupted')
    return <p className="text-ink-3 text-xs">The turn ended before this call reported.</p>
  if (tool.output === undefined) return null
  if (isCutValue(tool.output)) return <ToolDetailView detail={{ kind: 'cut', value: tool.output }} keep={tool.callId} />
  const failed = tool.state === 'failed' && !tool.refused
  if (saysImages(tool.output)) return <OutputWithImages output={tool.output} failed={failed} keep={tool.callId} />
  const text = withoutSaid(outputText(tool.output), tool.children)
  if (text === null) return null
  if (text.trim() === '') return <p className="text-ink-3 text-xs">No output.</p>
  return <AnsiText text={text} failed={failed} keep={tool.callId} />
}

/** Counts a sub-agent's calls. Its texts between them are no steps. */
function countSteps(children: readonly Item[]): number {
  return children.filter((child) => child.type === 'tool').length
}
