'use client'
import type { BackendManifestEntry, SessionView, SlashCommand } from '@roundhouse/backend-types'
import { commandsOf } from '@roundhouse/hub-client'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useHub } from '../../../live/hub-provider'
import { CompletionList, type Suggestion } from './completion-list'
import { matching, mentionOf, triggerAt, unknownCommand } from './completion-trigger'
import { useCompletionKeys } from './use-completion-keys'
import { useFiles } from './use-files'

export interface CompletionProps {
  view: SessionView
  backend: BackendManifestEntry | undefined
  box: RefObject<HTMLTextAreaElement | null>
  draft: string
  onDraft(text: string): void
  /** Called before a text is sent. Returning false keeps the text in the box. */
  maySend: RefObject<(text: string) => boolean>
}

/** Completes slash commands in the composer, and reports an unknown command before it is sent (CMD-9). */
export function Completion({ view, backend, box, draft, onDraft, maySend }: CompletionProps) {
  const { known, complete } = useCommands(view, draft.startsWith('/'))
  const caret = useCaret(box, draft)
  const [closedFor, setClosedFor] = useState<string | null>(null)
  const [warnedOf, setWarnedOf] = useState<string | null>(null)
  const placeCaret = useRef<number | null>(null)
  const unknown = complete ? unknownCommand(draft, known) : null
  const trigger = closedFor === draft ? null : triggerAt(draft, caret)
  const files = useFiles(view, trigger?.kind === 'file' ? trigger.query : null)
  const commands = trigger?.kind === 'command' ? matching(known ?? [], trigger.query).map(suggestionOf) : []
  const suggestions = trigger?.kind === 'file' ? files.found.map(suggestionOfFile) : commands

  useEffect(() => {
    maySend.current = (text) => {
      if (!complete || unknownCommand(text, known) === null || warnedOf === text) return true
      setWarnedOf(text)
      return false
    }
    return () => {
      maySend.current = () => true
    }
  }, [maySend, known, complete, warnedOf])

  useLayoutEffect(() => {
    if (placeCaret.current === null) return
    box.current?.setSelectionRange(placeCaret.current, placeCaret.current)
    placeCaret.current = null
  })

  function accept({ insert }: Suggestion) {
    if (!trigger) return
    const after = draft.slice(trigger.to)
    const text = `${insert}${after.startsWith(' ') ? '' : ' '}`
    placeCaret.current = trigger.from + text.length
    onDraft(draft.slice(0, trigger.from) + text + after)
  }

  const list = useCompletionKeys({
    box,
    suggestions,
    query: trigger?.query ?? '',
    onAccept: accept,
    onClose: () => setClosedFor(draft),
  })
  return (
    <>
      {list.isOpen ? <CompletionList {...list} suggestions={suggestions} onAccept={accept} /> : null}
      {trigger?.kind === 'file' && files.note !== null ? (
        <p role="status" className="px-3.5 pt-1 text-ink-3 text-sm">
          {files.note}
        </p>
      ) : null}
      {trigger?.kind === 'command' && !complete ? (
        <p role="status" className="px-3.5 pt-1 text-ink-3 text-sm">
          Not all commands are listed.
        </p>
      ) : null}
      {unknown !== null && !list.isOpen ? (
        <p role={warnedOf === draft.trim() ? 'alert' : 'status'} className="px-3.5 pt-1 text-sm text-needs">
          {backend?.label ?? 'This program'} has no command “/{unknown}” here.
          {warnedOf === draft.trim() ? ' Press Enter again to send it as text.' : ''}
        </p>
      ) : null}
    </>
  )
}

/** As the program reported them when it last started; unknown before. */
function useCommands(
  view: SessionView,
  enabled: boolean,
): { known: readonly SlashCommand[] | undefined; complete: boolean } {
  const hub = useHub()
  const { data } = useQuery({
    queryKey: ['commands', view.sessionId],
    queryFn: () => commandsOf(hub.rest, view.sessionId),
    enabled,
    staleTime: ({ state }) => (state.data?.commands ? 30_000 : 0),
    retry: false,
  })
  return { known: data?.commands, complete: data?.complete !== false }
}

function useCaret(box: RefObject<HTMLTextAreaElement | null>, draft: string): number {
  const [caret, setCaret] = useState(() => box.current?.selectionEnd ?? draft.length)
  useEffect(() => {
    const read = () => document.activeElement === box.current && setCaret(box.current?.selectionEnd ?? 0)
    document.addEventListener('selectionchange', read)
    read()
    return () => document.removeEventListener('selectionchange', read)
  }, [box])
  return Math.min(caret, draft.length)
}

const suggestionOfFile = (file: string): Suggestion => ({ insert: mentionOf(file), label: file })

function suggestionOf({ name, description, argumentHint }: SlashCommand): Suggestion {
  return {
    insert: `/${name}`,
    label: `/${name}`,
    detail: description,
    ...(argumentHint === undefined ? {} : { hint: argumentHint }),
  }
}
