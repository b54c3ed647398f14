'use client'
import { late } from '../../../ui/overlays/late'

/** Few calls are questions. */
export const AnswersGiven = late(() => import('./answers-given').then((module) => module.AnswersGiven))
