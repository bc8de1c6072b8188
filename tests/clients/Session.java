import java.io.File;
import java.math.BigDecimal;
import media.api.PhotosApi;
import media.api.SessionsApi;
import media.model.CleanupRequest;
import media.model.GalleryVerdict;
import media.model.ThumbnailRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import room.api.DefaultApi;
import room.model.FeedHello;
import room.model.FeedMessage;
import room.model.FeedState;
import room.model.GuestOrder;
import room.model.HostOrder;
import room.model.State;

/** Whole sessions by the clients that openapi-generator writes: `media URL VIDEO`, or `room HOST_URL GUEST_URL GAME_PORT`. */
public class Session {
    public static void main(String[] args) throws Exception {
        if (args[0].equals("media")) media(args[1], new File(args[2]));
        else room(args[1], args[2], Integer.parseInt(args[3]));
        System.exit(0);
    }

    private static void media(String url, File video) throws Exception {
        media.ApiClient client = new media.ApiClient();
        client.setBasePath(url);
        SessionsApi sessions = new SessionsApi(client);
        PhotosApi photos = new PhotosApi(client);
        String id = sessions.prepareVideo(video, null, null, null, null, null, null).getSessionId();
        BigDecimal middle = new BigDecimal("0.5");
        File photo = photos.convertSession(id, BigDecimal.ZERO, BigDecimal.ONE, BigDecimal.ONE, middle,
            null, null, null, null, null, null, null, null, null, null, null, null);
        File frame = sessions.takeThumbnail(new ThumbnailRequest().sessionId(id).timestamp(middle).width(160));
        System.out.println("files " + photo.length() + " " + frame.length());
        for (GalleryVerdict verdict : photos.inspectPhoto(photo, null).getGalleries()) {
            System.out.println("gallery " + verdict.getGallery().getValue() + " " + verdict.getRecognised().getValue());
        }
        System.out.println("extracted " + photos.extractPhoto(photo, null, "clip").length());
        System.out.println("cleanup " + sessions.removeSession(new CleanupRequest().sessionId(id)).getMessage());
        try {
            sessions.getSession(id);
        } catch (media.ApiException refused) {
            System.out.println("then " + refused.getCode());
        }
    }

    private static void room(String hostUrl, String guestUrl, int gamePort) throws Exception {
        DefaultApi host = roomAt(hostUrl);
        DefaultApi guest = roomAt(guestUrl);
        System.out.println("contract " + host.getMeta().getContractVersion());
        CompletableFuture<String> feed = feedUntil(hostUrl, "host-ok");
        host.postRoomHostStart(new HostOrder().playerName("Alex").gamePort(gamePort));
        String code = until(host, "host-ok").getRoom();
        System.out.println("feed " + feed.get(30, TimeUnit.SECONDS));
        guest.postRoomGuestStart(new GuestOrder().playerName("Steve").roomCode(code));
        System.out.println("joined " + until(guest, "guest-ok").getUrl());
        while (host.getState().getProfiles().size() < 2) Thread.sleep(100);
        System.out.println("status " + guest.getRoomStatus().getState());
        guest.postRoomStop();
        host.postRoomStop();
        until(host, "waiting");
        System.out.println("stopped");
    }

    private static DefaultApi roomAt(String url) {
        room.ApiClient client = new room.ApiClient();
        client.setBasePath(url);
        return new DefaultApi(client);
    }

    private static State until(DefaultApi api, String wanted) throws Exception {
        for (;;) {
            State state = api.getState();
            if (state.getState().getValue().equals(wanted)) return state;
            if (state.getState().getValue().equals("exception")) throw new IllegalStateException(state.getError());
            Thread.sleep(100);
        }
    }

    /** The contract's version that the feed begins with, and the state, once it tells of the wanted one. */
    private static CompletableFuture<String> feedUntil(String url, String wanted) {
        CompletableFuture<String> told = new CompletableFuture<>();
        Request request = new Request.Builder().url(url + "/ws").build();
        new OkHttpClient().newWebSocket(request, new WebSocketListener() {
            private String contract;

            @Override
            public void onMessage(WebSocket socket, String text) {
                try {
                    Object message = FeedMessage.fromJson(text).getActualInstance();
                    if (message instanceof FeedHello hello) contract = hello.getContractVersion();
                    if (!(message instanceof FeedState state) || !state.getState().getValue().equals(wanted)) return;
                    told.complete(contract + " " + wanted);
                    socket.cancel();
                } catch (Exception error) {
                    told.completeExceptionally(error);
                }
            }

            @Override
            public void onFailure(WebSocket socket, Throwable error, Response response) {
                told.completeExceptionally(error);
            }
        });
        return told;
    }
}
