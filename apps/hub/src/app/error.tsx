'use client'
import type { BrokenPageProps } from '../ui/broken-page'
import { late } from '../ui/overlays/late'

/** For errors outside the hub's own frame, which has its own error page. */
export default late<BrokenPageProps>(() => import('../ui/broken-page').then((module) => module.BrokenPage))
