'use client'
import type { BrokenPageProps } from '../ui/broken-page'
import { late } from '../ui/overlays/late'

/** Outside of the hub's own frame, which has its own page for this at hand. */
export default late<BrokenPageProps>(() => import('../ui/broken-page').then((module) => module.BrokenPage))
