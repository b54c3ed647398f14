'use client'
import { useFolded } from './seen-whole'

/** Stands where something is still fetched that a person decides about: until it is here, nobody decides on it. */
export function NotRead({ complete, keep }: { complete: boolean; keep: string }) {
  useFolded(`${keep}-not-here`, complete)
  return null
}
