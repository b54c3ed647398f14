'use client'
import { useFolded } from './seen-whole'

/** A placeholder for content that a person needs for a decision; until it has loaded, the decision is disabled. */
export function NotRead({ complete, keep }: { complete: boolean; keep: string }) {
  useFolded(`${keep}-not-here`, complete)
  return null
}
