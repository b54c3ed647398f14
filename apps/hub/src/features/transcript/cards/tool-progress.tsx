'use client'
/** The output of running calls. It is always live: nothing stores it, and the result replaces it (LOG-5). */
import type { LiveBlocks } from '@roundhouse/delivery'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { lastLines } from '../text/last-lines'

const Progress = createContext<ReadonlyMap<string, string>>(new Map())

export function ToolProgressProvider({ blocks, children }: { blocks: LiveBlocks | null; children: ReactNode }) {
  const lines = useMemo(() => lastLines(blocks?.open ?? []), [blocks])
  return <Progress value={lines}>{children}</Progress>
}

export function useProgress(callId: string): string | undefined {
  return useContext(Progress).get(callId)
}
