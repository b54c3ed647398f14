'use client'
import { createContext, useContext } from 'react'

/** Leads from a call that waits to its question, which stands above the composer. Absent where there is none to show. */
const ShowQuestion = createContext<((callId: string) => void) | null>(null)

export const ShowQuestionProvider = ShowQuestion.Provider

export function useShowQuestion(): ((callId: string) => void) | null {
  return useContext(ShowQuestion)
}
