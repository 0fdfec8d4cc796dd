package nibomo

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"time"

	"bridge/internal/sandbox/rpc"
)

//go:embed guides/*.md
var guides embed.FS

func (s *Service) getGuide(_ context.Context, _ Connection, a arguments) (json.RawMessage, string, error) {
	text, err := guides.ReadFile("guides/" + a.topic + ".md")
	if err != nil {
		return nil, "", fmt.Errorf("read guide: %w", err)
	}
	return rpc.Marshal(struct {
		Topic string `json:"topic"`
		Guide string `json:"guide"`
	}{a.topic, string(text)}), "Follow data.guide. It reads no workspace data and does not change during a session.", nil
}

type usage struct {
	AccountKind string      `json:"accountKind"`
	Entitlement entitlement `json:"entitlement"`
	Usage       month       `json:"usage"`
}

type entitlement struct {
	Tier        string  `json:"tier"`
	TierRank    int     `json:"tierRank"`
	DisplayName string  `json:"tierDisplayName"`
	Status      string  `json:"status"`
	Until       *string `json:"until"`
	IsTrial     bool    `json:"isTrial"`
	WillRenew   bool    `json:"willRenew"`
	Limits      limits  `json:"limits"`
}

type limits struct {
	Messages       *int `json:"aiMonthlyMessages"`
	WeightedTokens *int `json:"aiMonthlyWeightedTokens"`
}

type month struct {
	StartsAt        string `json:"monthStartsAt"`
	EndsAt          string `json:"monthEndsAt"`
	UsedMessages    int    `json:"usedMessages"`
	RemainingMsgs   *int   `json:"remainingMessages"`
	OwnKeyMessages  int    `json:"ownKeyMessages"`
	UsedTokens      int    `json:"usedWeightedTokens"`
	RemainingTokens *int   `json:"remainingWeightedTokens"`
	Multiplier      int    `json:"weightedOutputTokenMultiplier"`
}

// usageLimits is always a free account that used nothing: the figures concern
// the product's own chat, which the sandbox has not got.
func (s *Service) usageLimits(context.Context, Connection, arguments) (json.RawMessage, string, error) {
	now := s.now()
	start := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	return rpc.Marshal(usage{
		AccountKind: "account",
		Entitlement: entitlement{Tier: "free", TierRank: 10, DisplayName: "Free", Status: "none"},
		Usage:       month{StartsAt: stamp(start), EndsAt: stamp(start.AddDate(0, 1, 0)), Multiplier: 6},
	}), "null means no cap. These figures concern the AI chat of the app; the tools of this server are not metered by them.", nil
}
