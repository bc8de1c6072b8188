/**
 * How long the pictures of an animated image are shown: a delay of 10 ms or less counts as 100 ms, as in browsers.
 * ffmpeg 5 does this itself when it reads a GIF, ffmpeg 7 no longer does. Doing it twice changes nothing.
 * @see docs/decisions.md, D36
 */

const SHORT_SECONDS = 0.015
const INSTEAD_SECONDS = 0.1

export function delayAsShown(seconds: number): number {
  return seconds < SHORT_SECONDS ? INSTEAD_SECONDS : seconds
}

const DELAY = 'PTS-PREV_INPTS'

/** A filter that sets the times at which the pictures are shown. */
export const TIMES_AS_SHOWN = `setpts='if(eq(N,0),PTS,PREV_OUTPTS+if(lt((${DELAY})*TB,${SHORT_SECONDS}),${INSTEAD_SECONDS}/TB,${DELAY}))'`
