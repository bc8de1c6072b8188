/**
 * How long the pictures of an animated image stand: what is a hundredth of a second or less counts as ten, as in browsers.
 * ffmpeg 5 does this to a GIF when it reads one, ffmpeg 7 no longer does. Where it was done, nothing changes here.
 */

const SHORT_SECONDS = 0.015
const INSTEAD_SECONDS = 0.1

export function delayAsShown(seconds: number): number {
  return seconds < SHORT_SECONDS ? INSTEAD_SECONDS : seconds
}

const DELAY = 'PTS-PREV_INPTS'

/** A filter that gives the pictures the times at which they are shown. */
export const TIMES_AS_SHOWN = `setpts='if(eq(N,0),PTS,PREV_OUTPTS+if(lt((${DELAY})*TB,${SHORT_SECONDS}),${INSTEAD_SECONDS}/TB,${DELAY}))'`
