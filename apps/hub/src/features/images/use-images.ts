'use client'
/**
 * The images of the prompt in the composer: picked, pasted or dropped anywhere on the page, unless a dialog covers the
 * field. The code that processes the files loads with the first of them (`image-strip.tsx`).
 */
import type { PromptImage } from '@roundhouse/backend-types'
import { type Dispatch, type RefObject, type SetStateAction, useEffect, useState } from 'react'

export interface AttachedImage {
  key: string
  name: string
  /** Absent if only the hub has it. */
  file?: Blob
  /** Null: the hub does not have it yet. */
  image: PromptImage | null
  /** The session in which the hub has it, if that is another one. */
  storedIn?: string
}

export interface ImageDraft {
  list: readonly AttachedImage[]
  setList: Dispatch<SetStateAction<readonly AttachedImage[]>>
  /** Files that were not checked yet. */
  incoming: readonly File[]
  setIncoming: Dispatch<SetStateAction<readonly File[]>>
  /** Why files were not attached, in sentences. */
  problems: readonly string[]
  setProblems: Dispatch<SetStateAction<readonly string[]>>
}

interface ImagesOf {
  /** The field in which the prompt is written. */
  field: RefObject<Element | null>
  takes: boolean
  initial?: readonly AttachedImage[]
}

export function useImages({ field, takes, initial = [] }: ImagesOf): ImageDraft & { isShown: boolean } {
  const [list, setList] = useState(initial)
  const [incoming, setIncoming] = useState<readonly File[]>([])
  const [problems, setProblems] = useState<readonly string[]>([])
  useEffect(() => {
    const take = (event: DragEvent | ClipboardEvent) => {
      const data = 'dataTransfer' in event ? event.dataTransfer : event.clipboardData
      if (!data?.types.includes('Files') || isText(event, data, field.current)) return
      // A dropped file that no handler takes would replace the page.
      event.preventDefault()
      if (event.type === 'dragover' || isCovered(field.current)) return
      if (takes) setIncoming((before) => [...before, ...data.files])
      else setProblems(['No images can be attached here.'])
    }
    const kinds = ['dragover', 'drop', 'paste'] as const
    for (const kind of kinds) addEventListener(kind, take)
    return () => {
      for (const kind of kinds) removeEventListener(kind, take)
    }
  }, [takes, field])
  const isShown = incoming.length + list.length + problems.length > 0
  return { list, setList, incoming, setIncoming, problems, setProblems, isShown }
}

/** A picture of a text comes with that text, and other fields take only text. */
function isText({ type, target }: Event, { types }: DataTransfer, own: Element | null): boolean {
  const field = target instanceof Element ? target.closest('input, textarea') : null
  return type === 'paste' && (types.includes('text/plain') || (field !== null && field !== own))
}

/** Nothing can be attached if there is no field or a dialog covers it. */
const isCovered = (field: Element | null): boolean =>
  field === null || [...document.querySelectorAll('[role=dialog]')].some((dialog) => !dialog.contains(field))
