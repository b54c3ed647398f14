'use client'
/**
 * The images of the prompt that is being written: picked, pasted or dropped anywhere on the page. What becomes of the files is
 * done by code that is fetched with the first of them (`image-strip.tsx`).
 */
import type { PromptImage } from '@roundhouse/backend-types'
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'

export interface AttachedImage {
  key: string
  name: string
  /** Absent where the hub alone has it. */
  file?: Blob
  /** Null: it is on its way to the hub. */
  image: PromptImage | null
}

export interface ImageDraft {
  list: readonly AttachedImage[]
  setList: Dispatch<SetStateAction<readonly AttachedImage[]>>
  /** Files that nobody has looked at yet. */
  incoming: readonly File[]
  setIncoming: Dispatch<SetStateAction<readonly File[]>>
  /** Why files were not attached, in sentences. */
  problems: readonly string[]
  setProblems: Dispatch<SetStateAction<readonly string[]>>
}

export function useImages(takes: boolean): ImageDraft & { isOnItsWay: boolean; isShown: boolean } {
  const [list, setList] = useState<readonly AttachedImage[]>([])
  const [incoming, setIncoming] = useState<readonly File[]>([])
  const [problems, setProblems] = useState<readonly string[]>([])
  useEffect(() => {
    if (!takes) return
    const take = (event: DragEvent | ClipboardEvent) => {
      const data = 'dataTransfer' in event ? event.dataTransfer : event.clipboardData
      if (!data?.types.includes('Files') || isText(event, data)) return
      event.preventDefault()
      if (event.type !== 'dragover') setIncoming((before) => [...before, ...data.files])
    }
    const kinds = ['dragover', 'drop', 'paste'] as const
    for (const kind of kinds) addEventListener(kind, take)
    return () => {
      for (const kind of kinds) removeEventListener(kind, take)
    }
  }, [takes])
  const isOnItsWay = incoming.length > 0 || list.some(({ image }) => image === null)
  const isShown = incoming.length + list.length + problems.length > 0
  return { list, setList, incoming, setIncoming, problems, setProblems, isOnItsWay, isShown }
}

/** A picture of a text comes with that text, and other fields take texts alone. */
function isText({ type, target }: Event, { types }: DataTransfer): boolean {
  const field = target instanceof Element ? target.closest('input, textarea') : null
  return type === 'paste' && (types.includes('text/plain') || field?.matches('[data-focus-heir]') === false)
}
