'use client'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/forms/button'
import { keptDrafts } from './decision/kept-drafts'
import type { InputEdit } from './input-edit'

interface EditFormProps {
  requestId: string
  edit: InputEdit
  /** The buttons are not armed yet, or the person has not read to the end. */
  disabled: boolean
  onAllow: (updatedInput: unknown) => void
  onBack: () => void
}

/** Edits the input. The requested input stays above it. Only Allow edited runs the edit. */
export function EditForm({ requestId, edit, disabled, onAllow, onBack }: EditFormProps) {
  const key = `${requestId}.edit`
  const [text, setText] = useState(() => keptDrafts.read<string>(key) ?? edit.text)
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => box.current?.focus(), [])
  useEffect(() => {
    if (text === edit.text) keptDrafts.drop(key)
    else keptDrafts.keep(key, text)
  }, [key, text, edit.text])
  const edited = edit.apply(text)
  const problem = 'problem' in edited ? edited.problem : null
  const isSame = text === edit.text
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (!disabled && !isSame && 'input' in edited) onAllow(edited.input)
      }}
    >
      <textarea
        ref={box}
        aria-label={`${edit.label}, edited`}
        aria-invalid={problem !== null}
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onBack()
        }}
        className="block max-h-64 w-full resize-y rounded-md border border-line-strong bg-surface px-2.5 py-1.5 font-mono text-xs"
      />
      {problem ? (
        <p role="status" className="text-failed text-xs">
          {problem}
        </p>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button look="solid" type="submit" disabled={disabled || isSame || problem !== null}>
          Allow edited
        </Button>
        <Button look="plain" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  )
}
