package pacecraft

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// SeedEmail is the address of the account that Seed makes.
const SeedEmail = "rani.wijaya@example.com"

// Seed fills the service with an account that looks lived in, and returns it:
// two workspaces, spaces, tasks with deadlines around now, documents with every
// kind of block in Indonesian and English, and the team's activity. The same
// seed gives the same ids and choices. All of it is written at once or not at
// all; where the account already exists nothing is written. It makes no token.
func (s *Service) Seed(ctx context.Context, seed int64) (Account, error) {
	var a Account
	err := s.write(ctx, func(t *tx) error {
		err := t.conn.QueryRowContext(ctx, "SELECT id, name, email FROM pc_accounts WHERE email = ?", SeedEmail).Scan(&a.ID, &a.Name, &a.Email)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		r := rand.New(rand.NewPCG(uint64(seed), 0x70616365))
		t.newID = func(prefix string) string { return fmt.Sprintf("%s_%013x", prefix, r.Uint64()>>12) }
		a, err = (&seeder{tx: t, ctx: ctx, r: r, today: t.now}).all()
		return err
	})
	if err != nil {
		return Account{}, fmt.Errorf("seed PaceCraft: %w", err)
	}
	return a, nil
}

type seeder struct {
	*tx
	ctx   context.Context
	r     *rand.Rand
	today time.Time
	team  []Account // the first one owns everything
	err   error     // the first failure; nothing is done after it
}

// seedTask is a task of the sample: due is in days from now, 0 means none.
type seedTask struct {
	title, desc, status string
	due, who            int // who is an index into the team, -1 nobody
}

func (s *seeder) all() (Account, error) {
	s.at(-90)
	for _, p := range [][2]string{{"Rani Wijaya", SeedEmail}, {"Budi Santoso", "budi.santoso@example.com"}, {"Dewi Lestari", "dewi.lestari@example.com"}, {"Amélie Hart", "amelie.hart@example.com"}} {
		a, err := s.account(s.ctx, p[0], p[1])
		s.fail(err)
		s.team = append(s.team, a)
	}

	w := s.ws("alfagift", 0, 1, 2, 3)
	app := s.sp(w, "Aplikasi Seluler", "Rilis aplikasi Android dan iOS")
	s.tasks(app,
		seedTask{"Perbaiki keranjang yang kosong setelah masuk ulang", "Terjadi di Android 14 saat sesi kedaluwarsa. Langkah ulangnya ada di dokumen QA.", StatusInProgress, -3, 1},
		seedTask{"Uji pembayaran QRIS di iOS", "Pakai akun uji; catat nomor transaksi di komentar.", StatusTodo, -1, 0},
		seedTask{"Review terjemahan layar promo", "Cek 100% teks, termasuk kode_promo dan harga.", StatusReview, 2, 2},
		seedTask{"Kirim build 2.4.0-rc1 ke penguji", "", StatusTodo, 5, 1},
		seedTask{"Hapus flag fitur lama", "", StatusTodo, 0, -1},
		seedTask{"Siapkan catatan rilis 2.3", "", StatusDone, -12, 0},
	)
	s.docs(app, seedDoc{"Rencana Rilis 2.4", 0, releasePlan()}, seedDoc{"Catatan Rapat Mingguan", 1, meetingNotes()})
	plat := s.sp(w, "Platform & API", "Layanan di belakang aplikasi")
	s.tasks(plat,
		seedTask{"Migrate the orders table to partitions", "Rehearse on staging first. Roll back if replication lag exceeds 30 s.", StatusInProgress, -7, 3},
		seedTask{"Rotate the payment gateway certificate", "Expires at the end of the month.", StatusTodo, 9, 3},
		seedTask{"Naikkan batas laju endpoint pencarian", "", StatusReview, 1, 1},
		seedTask{"Write the on-call handbook", "", StatusDone, -2, 3},
	)
	s.docs(plat, seedDoc{"API Guidelines", 3, apiGuidelines()}, seedDoc{"Kamus Istilah", 2, glossary()})
	s.sp(w, "Arsip", "")

	w = s.ws("Kedai Kopi Séruni – Bandung", 0, 2)
	toko := s.sp(w, "Pembukaan Toko", "Cabang Jalan Braga, buka bulan depan")
	s.tasks(toko,
		seedTask{"Tanda tangan sewa ruko", "Notaris: Selasa pukul 10.00.", StatusInProgress, -5, 0},
		seedTask{"Pesan mesin espresso", "Bandingkan tiga penawaran.", StatusTodo, 3, 2},
		seedTask{"Rekrut dua barista", "", StatusTodo, 14, 0},
	)
	s.docs(toko, seedDoc{"Menu Pembukaan ☕", 0, openingMenu()})
	return s.team[0], s.err
}

func (s *seeder) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// at moves the clock to a time of work so many days from now.
func (s *seeder) at(days int) {
	s.now = s.today.Add(time.Duration(days)*24*time.Hour - time.Duration(s.r.IntN(480))*time.Minute)
}

func (s *seeder) ws(name string, team ...int) Workspace {
	if s.err != nil {
		return Workspace{}
	}
	var members []string
	for _, i := range team {
		members = append(members, s.team[i].ID)
	}
	w, err := s.workspace(s.ctx, name, members...)
	s.fail(err)
	return w
}

func (s *seeder) sp(w Workspace, name, desc string) Space {
	if s.err != nil {
		return Space{}
	}
	sp, err := s.space(s.ctx, w.ID, name, desc)
	s.fail(err)
	return sp
}

func (s *seeder) tasks(sp Space, list ...seedTask) {
	for i, k := range list {
		if s.err != nil {
			return
		}
		task := Task{SpaceID: sp.ID, Title: k.title, Description: k.desc, Status: k.status}
		if k.due != 0 {
			task.Deadline = s.today.Add(time.Duration(k.due)*24*time.Hour + time.Duration(s.r.IntN(180))*time.Minute)
		}
		by := s.team[0].ID
		if k.who >= 0 {
			task.AssigneeID, by = s.team[k.who].ID, s.team[k.who].ID
		}
		s.at(i - 40)
		task, err := s.task(s.ctx, s.team[0].ID, task)
		s.fail(err)
		if k.status == StatusDone && s.err == nil {
			s.at(i - 20)
			s.fail(s.record(s.ctx, sp.ID, by, "TASK_COMPLETED", task.ID, task.Title))
		}
	}
}
