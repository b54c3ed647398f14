import type { RefObject } from 'react'
import type { VListHandle } from 'virtua'

export interface StickOptions {
  list: RefObject<VListHandle | null>
  rows: readonly unknown[]
  older: boolean
  newer: boolean
  /** False if they could not be loaded now. */
  loadOlder: () => Promise<boolean>
  loadNewer: () => Promise<boolean>
  openEnd: () => Promise<boolean>
  /** This hook sets it: whether the reader is at the end. */
  following: RefObject<boolean>
  /** The page is scrolling to a place, so reaching the end on the way means nothing. */
  led: RefObject<boolean>
  /** Changes when entirely different rows are shown. */
  opened: number
}
