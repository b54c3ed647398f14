import type { RefObject } from 'react'
import type { VListHandle } from 'virtua'

export interface StickOptions {
  list: RefObject<VListHandle | null>
  rows: readonly unknown[]
  older: boolean
  newer: boolean
  /** False when they could not be had now. */
  loadOlder: () => Promise<boolean>
  loadNewer: () => Promise<boolean>
  openEnd: () => Promise<boolean>
  /** Ours to set: whether the reader is at the end. */
  following: RefObject<boolean>
  /** The reader is being led to a place: reaching the end on the way means nothing. */
  led: RefObject<boolean>
  /** Changes when other rows altogether are shown. */
  opened: number
}
