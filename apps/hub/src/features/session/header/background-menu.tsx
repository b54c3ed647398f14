'use client'
import { type RunningTask, type SessionView, toCodedError, unwrapShell } from '@roundhouse/backend-types'
import type { LiveBlocks } from '@roundhouse/delivery'
import type { SeenEvent } from '@roundhouse/hub-client'
import { useMutation } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import { useHub } from '../../../live/hub-provider'
import { useMay } from '../../../live/use-me'
import { useNow } from '../../../live/use-now'
import { Button } from '../../../ui/forms/button'
import { ErrorNotice } from '../../../ui/forms/notice'
import { Popover } from '../../../ui/overlays/popover'
import { ScrollRegion } from '../../../ui/scroll-region'
import { PlainText } from '../../../ui/text/plain-text'
import { shortDuration } from '../../../ui/text/time'
import { AnsiSpans } from '../../transcript/text/ansi-text'
import { lastOutput, type TaskTrace, taskTrace } from './task-trace'

interface BackgroundMenuProps {
  view: SessionView
  /** The loaded part of the transcript. */
  events: readonly SeenEvent[]
  blocks: LiveBlocks | null
}

/** The tasks that the program runs beside its turns: listed with their age, linked to the transcript, and stoppable. */
export function BackgroundMenu({ view, events, blocks }: BackgroundMenuProps) {
  const hub = useHub()
  const mayControl = useMay('session.control', true)
  const stop = useMutation({ mutationFn: (taskId: string) => hub.rest.stopTask(view.sessionId, taskId) })
  const { background = [] } = view
  return (
    <Popover
      kind="dialog"
      label="Running in the background"
      className="w-96 max-w-[calc(100vw-1rem)] p-3"
      button={(props) => (
        <Button
          size="sm"
          look="plain"
          title="Running in the background"
          aria-label={`${background.length} running in the background`}
          icon={<Layers className="size-3.5" aria-hidden />}
          {...props}
        >
          {background.length} <span className="hidden sm:inline">in background</span>
        </Button>
      )}
    >
      <p className="mb-2 font-medium text-sm">Running in the background</p>
      <ul className="max-h-[70dvh] space-y-2 overflow-y-auto">
        {background.map(named).map((task) => (
          <li key={task.taskId} className="space-y-1 text-sm">
            <div className="flex items-start justify-between gap-2">
              <TaskWords task={task} trace={taskTrace(events, task.callId)} />
              {task.canStop && mayControl ? (
                <Button
                  size="sm"
                  look="danger"
                  aria-label={`Stop ${task.label}`}
                  disabled={stop.isPending}
                  onClick={() => stop.mutate(task.taskId)}
                >
                  Stop
                </Button>
              ) : null}
            </div>
            {task.kind === 'command' ? (
              <Output label={task.label} text={lastOutput(blocks?.open ?? [], task.callId)} />
            ) : null}
          </li>
        ))}
      </ul>
      {stop.error ? <ErrorNotice className="mt-2" error={toCodedError(stop.error).toBody()} /> : null}
    </Popover>
  )
}

/** A command as a person would type it. */
const named = (task: RunningTask): RunningTask => ({ ...task, label: unwrapShell(task.label) })

/** Keeps the last lines in view while more arrive. */
function Output({ label, text }: { label: string; text: string }) {
  if (text === '') return null
  return (
    <ScrollRegion label={`Output of ${label}`} className="flex max-h-32 flex-col-reverse bg-sunken">
      <div>
        <AnsiSpans text={text} />
      </div>
    </ScrollRegion>
  )
}

function TaskWords({ task, trace: { seq, last } }: { task: RunningTask; trace: TaskTrace }) {
  const now = useNow()
  return (
    <span className="min-w-0 break-words">
      <PlainText>{task.label}</PlainText>
      {last === undefined ? null : (
        <span className="line-clamp-2 text-ink-2 text-xs">
          <PlainText>{last}</PlainText>
        </span>
      )}
      <span className="block text-ink-3 text-xs">
        {task.kind === 'helper' ? 'Sub-agent' : 'Command'}
        {now === 0 ? '' : `, for ${shortDuration(Math.max(1_000, now - task.startedAt))}`}
        {seq === undefined ? null : (
          <>
            {' · '}
            <a href={`#e-${seq}`} className="text-accent underline underline-offset-4">
              Show in transcript
            </a>
          </>
        )}
      </span>
    </span>
  )
}
