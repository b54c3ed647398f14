'use client'
import { late } from '../../../ui/overlays/late'

/** Loaded late, because few calls are questions. */
export const AnswersGiven = late(() => import('./answers-given').then((module) => module.AnswersGiven))
